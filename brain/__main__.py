"""python -m brain"""

from brain.cli import main

if __name__ == "__main__":
    main()

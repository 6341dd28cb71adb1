"""What things are called: hexes and Locations, words of the vocabulary, boards, questions, terms.

The ground floor: plain frozen objects and their names in the board language, in kb/ and in clingo. It may
use nothing of the other rooms.
"""

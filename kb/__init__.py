"""The knowledge base: rules of the game as answer set programs."""

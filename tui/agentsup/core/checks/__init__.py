"""Judge memory: findings as values, one module a kind of file. Words and phrases are data (`wording`)."""

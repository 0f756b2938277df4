CREATE TABLE holds (
    id INTEGER PRIMARY KEY, member INTEGER NOT NULL REFERENCES members, title INTEGER NOT NULL REFERENCES titles,
    asked TEXT NOT NULL, shelved TEXT, closed TEXT
);
CREATE INDEX holds_by_title ON holds (title, id) WHERE closed IS NULL;

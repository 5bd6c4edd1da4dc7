CREATE TABLE genres (code TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE books (
    book_id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    author TEXT NOT NULL,
    year INTEGER,
    genre TEXT REFERENCES genres (code)
);
CREATE TABLE readers (
    reader_id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE loans (
    loan_id TEXT PRIMARY KEY,
    book_id TEXT NOT NULL REFERENCES books (book_id),
    reader_id TEXT NOT NULL REFERENCES readers (reader_id),
    due TEXT,
    status TEXT NOT NULL DEFAULT 'OUT'
);

-- SQLite and PostgreSQL both read this.
CREATE TABLE jurisdictions (code TEXT PRIMARY KEY, name TEXT NOT NULL, also TEXT);
CREATE TABLE currencies (code TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE client_types (code TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE roles (code TEXT PRIMARY KEY, name TEXT NOT NULL, also TEXT);
CREATE TABLE document_types (code TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE case_types (code TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE screening_types (code TEXT PRIMARY KEY, name TEXT NOT NULL);

CREATE TABLE cbus (
    cbu_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    jurisdiction TEXT NOT NULL REFERENCES jurisdictions (code),
    client_type TEXT REFERENCES client_types (code),
    manco_name TEXT,
    tags TEXT,
    attributes TEXT,
    UNIQUE (name, jurisdiction)
);
CREATE TABLE persons (
    entity_id TEXT PRIMARY KEY,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    name TEXT GENERATED ALWAYS AS (first_name || ' ' || last_name) STORED,
    nationality TEXT REFERENCES jurisdictions (code),
    date_of_birth TEXT
);
CREATE TABLE companies (
    entity_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    registration_number TEXT,
    jurisdiction TEXT REFERENCES jurisdictions (code)
);
CREATE VIEW entities AS
    SELECT entity_id, name, 'person' AS entity_type FROM persons
    UNION ALL
    SELECT entity_id, name, 'company' AS entity_type FROM companies;

CREATE TABLE cbu_roles (
    cbu_id TEXT NOT NULL REFERENCES cbus (cbu_id) ON DELETE CASCADE,
    entity_id TEXT NOT NULL,
    role TEXT NOT NULL REFERENCES roles (code),
    PRIMARY KEY (cbu_id, entity_id, role)
);
CREATE TABLE documents (
    document_id TEXT PRIMARY KEY,
    cbu_id TEXT NOT NULL REFERENCES cbus (cbu_id) ON DELETE CASCADE,
    entity_id TEXT,
    document_type TEXT NOT NULL REFERENCES document_types (code)
);
CREATE TABLE kyc_cases (
    case_id TEXT PRIMARY KEY,
    cbu_id TEXT NOT NULL REFERENCES cbus (cbu_id) ON DELETE CASCADE,
    case_type TEXT REFERENCES case_types (code),
    status TEXT NOT NULL DEFAULT 'INTAKE'
);
CREATE TABLE workstreams (
    workstream_id TEXT PRIMARY KEY,
    case_id TEXT NOT NULL REFERENCES kyc_cases (case_id) ON DELETE CASCADE,
    entity_id TEXT NOT NULL
);
CREATE TABLE screenings (
    screening_id TEXT PRIMARY KEY,
    workstream_id TEXT NOT NULL REFERENCES workstreams (workstream_id) ON DELETE CASCADE,
    screening_type TEXT NOT NULL REFERENCES screening_types (code),
    status TEXT NOT NULL DEFAULT 'RUNNING'
);

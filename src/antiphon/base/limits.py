"""Every bound there is: its unit in its name, its reason beside it."""

# One command.  It travels through a file, so this is patience, not a line length.
COMMAND_BYTES_MAX = 1 << 20
# One `pty.send`.  A terminal takes about 20 KB from a program that does not read [measured].
SEND_BYTES_MAX = 64 << 10
# One answer with output in it: a block of 64 MB still fits the memory of both sides.
READ_BYTES_MAX = 64 << 20
# Below 4 a read could not hold every UTF-8 character [d4].
READ_BYTES_MIN = 4
# A pattern: longer ones are programs.
PATTERN_BYTES_MAX = 4 << 10
# A wait: a day, then the client asks again with its cursor.
TIMEOUT_MS_MAX = 86_400_000
# Waits on one conversation, so that one client cannot eat the server.
WAITERS_MAX = 20_000
# Conversations with a living shell.
SHELLS_MAX = 1_000
# Items of a page: blocks and hits.
ITEMS_MAX = 200
# A screen, in characters.
COLS_MAX = 500
ROWS_MAX = 300
COLS_DEFAULT = 120
ROWS_DEFAULT = 40
# A text query of a search.
QUERY_BYTES_MAX = PATTERN_BYTES_MAX
# Bytes of one HTTP body: a command in JSON escapes at worst six-fold.
BODY_BYTES_MAX = 8 << 20
# Viewers of one conversation, and how many characters of events may wait for one that does not
# read; older ones are left out, and that is told.  Output does not wait: it is in a file.
VIEWERS_MAX = 64
VIEWER_EVENTS_BYTES_MAX = 256 << 10
# A record of more than this is not read when its conversation is asked for the first time, to see
# whether it is what was written: that takes a hundredth of a second for each 10 MB.
RECORD_LOOKED_AT_BYTES_MAX = 16 << 20
# Environment of a shell, as given by a client.
ENV_BYTES_MAX = 128 << 10
# From the spawn of a shell to its first prompt.
SHELL_START_MS_MAX = 10_000
# The same while the shell is still at work, on a machine that has much of it.
SHELL_STARTING_MS_MAX = 60_000
# From the bell to the command's beginning, while the shell is known to listen.
BEGIN_MS_MAX = 5_000
# From Enter at the shell's own prompt to ours: it takes a millisecond while the hooks are whole.
RETURN_MS_MAX = 2_000
# How long a secret `send` waits for the program to switch echo off [d9].
ECHO_OFF_MS_MAX = 500
# Grace of `pty.end_session`, and its bound.
GRACE_MS_DEFAULT = 3_000
GRACE_MS_MAX = 60_000
# From Enter at the prompt until the shell says that the line runs, or that it was nothing.
ENTERED_MS_MAX = 500
# The life of a dialogue's state: a day unless the caller says otherwise, a year at most.
STATE_TTL_S_DEFAULT = 86_400
STATE_TTL_S_MAX = 366 * 86_400
# Flows, accepted texts and runs that are kept beside the key; the oldest make room.
DIALOGUE_FILES_MAX = 10_000
# Records of broken drafts before they make room for newer ones: some thousand of them.
VIOLATIONS_BYTES_MAX = 1 << 20
# Options of one step: four questions deep for one, and nobody reads a longer row for many.
STEP_OPTIONS_MAX = 1_000
# What a user may type or paste as one input, and what is judged as a question: longer texts
# would hold up everybody else.
INPUT_CHARS_MAX = 256 << 10
JUDGED_CHARS_MAX = 64 << 10
# Flows in memory, read and checked.
FLOWS_LOADED_MAX = 256
# An answer of a model: a question has some hundred bytes, a tool call some thousand.
MODEL_BYTES_MAX = 8 << 20
# How often a model is asked for the intents of one message, told each time what was wrong.
MODEL_TRIES_MAX = 3
# How long a model may take for one message, unless the operator says otherwise.
MODEL_TIMEOUT_MS_DEFAULT = 60_000
# Driven programs at one time; each has a shell.
MENUS_MAX = 100
# A program's arguments: the kernel's own bound is on their bytes.
MENU_ARGUMENTS_MAX = 4_096
# So wide that nothing is wrapped, and so tall that most lists fit.
MENU_COLS_DEFAULT = 500
MENU_ROWS_DEFAULT = 100
# What a failed program had printed last, as its reason.
REASON_BYTES_MAX = 4 << 10
# A component's name: part numbers have some twenty characters.
COMPONENT_NAME_CHARS_MAX = 200
# Files of a component library that are looked at: reading the names of so many takes a second.
LIBRARY_FILES_MAX = 100_000
# What a search may print, read for its list.
LISTING_BYTES_MAX = 1 << 20
# Blocks one under the other: five deep hold seven to the fifth options.
BLOCK_DEPTH_MAX = 8
# A pack: files, and one of them; a table of a hundred thousand names has some megabytes.
PACK_FILES_MAX = 1_000
PACK_FILE_BYTES_MAX = 64 << 20
# Words that are searched for: as long as a message may be.  Beyond the first few hundred
# characters no name goes on, so only these are looked for.
ENTITY_QUERY_BYTES_MAX = 64 << 10
ENTITY_SOUGHT_CHARS_MAX = 256
# Entities in one answer, and candidates that are compared with the words.
ENTITIES_DEFAULT = 10
ENTITIES_MAX = 50
ENTITY_OFFSET_MAX = 1_000_000
CANDIDATES_FIRST_MAX = 100
CANDIDATES_LAST_MAX = 20  # of the first ones, that say whether there are more
CANDIDATES_MAX = 400
# Of a great many entities only the first ones are compared: more take time, and nothing that was
# meant is among them (seen).
ENTITIES_MANY_MIN = 50_000
# A batch of reconciliation queries, the values of one condition, the entities of one extension.
RECONCILE_BATCH_MAX = 50
RECONCILE_VALUES_MAX = 50
RECONCILE_IDS_MAX = 1_000
# An answer of another reconciliation service, a name in it, and how long it may take by itself.
SOURCE_ANSWER_BYTES_MAX = 4 << 20
SOURCE_NAME_CHARS_MAX = 500
SOURCE_TIMEOUT_MS_DEFAULT = 3_000
SOURCE_TIMEOUT_MS_MAX = 60_000
# Rows that one statement of a program shows.
ROWS_SHOWN_MAX = 1_000
# How long a transaction waits for one of another process.
DATABASE_WAIT_S_MAX = 10
# A program, and a message of a session: the contract's.
SOURCE_BYTES_MAX = 1 << 20
MESSAGE_BYTES_MAX = 64 << 10
# What a session's answer shows of the candidates of one reference.
CANDIDATES_SHOWN_MAX = 10
# Intents in one proposal: a program of more is better written as one.
INTENTS_MAX = 100
# How long `execute` waits for the end of a run before it answers `executing` [d16].
RUN_ANSWER_MS_MAX = 2_000
# Sessions in memory; what was asked longest ago makes room, and is read again when asked.
SESSIONS_LOADED_MAX = 2_000
# Events of one session that can be asked for again; the oldest go.
EVENTS_KEPT_MAX = 10_000
# A stream of events that has nothing to say says so this often, so that nothing in between ends it.
EVENTS_QUIET_S_MAX = 15
# Lines of a session's conversation that an answer shows.
TALK_ITEMS_MAX = 500

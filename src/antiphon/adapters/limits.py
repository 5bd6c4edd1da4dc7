"""The bounds of the doors: what one client may send, hold open or wait for."""

from __future__ import annotations

from antiphon.base import limits

# One frame of a viewer: a `pty.send` at its largest, each byte a six-character JSON escape.
FRAME_BYTES_MAX = 6 * limits.SEND_BYTES_MAX + 1024
# A one-time browser code: long enough to click it, too short to be found in a scrollback.
LOGIN_CODE_S_MAX = 600.0
# One-time codes that nobody has used; the oldest goes first.
LOGIN_CODES_MAX = 64
# A browser's session: a month, then a new code.
SESSION_S_MAX = 30 * 86_400
# What a client that was refused may go on to send before it is hung up on: all of a body that was
# somewhat too large, or what comes in two seconds.
HEAR_OUT_BYTES_MAX = 8 * limits.BODY_BYTES_MAX
HEAR_OUT_S_MAX = 2.0
# From a stop signal to the moment waits are cut; the whole stop has 3 s.
STOP_WAIT_S = 1
# One header block of an answer: our own server writes a tenth of it.
HEADER_BYTES_MAX = 64 << 10
# Idle connections a client keeps to the server.
CONNECTIONS_KEPT_MAX = 16
# How long to wait for a command that holds the state directory and listens nowhere yet: it does
# after a second, and later where much else runs.
OWNER_WAIT_S_MAX = 20.0
OWNER_WAIT_STEP_S = 0.02
# A command that lasts longer than this lets others of its user in.
SHARE_AFTER_S = 0.5
# A connection to a server on the same machine; it answers at once or is not there.
CONNECT_S_MAX = 5.0
# One file of the page, and a page of settings: larger ones were put there by mistake.
PAGE_FILE_BYTES_MAX = 16 << 20
SETTINGS_BYTES_MAX = 64 << 10
# A keeper of tasks: until its first one, after its last, and between two looks.
KEEPER_GRACE_S = 10.0
KEEPER_IDLE_S = 5.0
KEEPER_LOOK_S = 0.2
# From its start until it listens: half a second, and more than five where much else runs [seen].
KEEPER_START_S_MAX = 60.0
# How long a stream of a chat says nothing while the model is asked: proxies cut at 30 s or more.
STREAM_SILENCE_S = 10.0

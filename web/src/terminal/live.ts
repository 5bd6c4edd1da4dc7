// One conversation's live stream: bytes for the screen, events for the cards.
//
// It reconnects where it was, so nothing is missed.  A screen that cannot keep up is not made to:
// the stream is left, and joined again near its end, where the screen can be drawn.

export type StreamEvent = { type: string; [field: string]: unknown };

export interface Sink {
  /** Bytes for the screen; call `done` when they are drawn. */
  bytes(data: Uint8Array, done: () => void): void;
  event(event: StreamEvent): void;
  /** What comes next does not follow on what came: begin with an empty screen. */
  fresh(cols: number, rows: number): void;
  connected(is: boolean): void;
}

const PENDING_BYTES_MAX = 4 << 20;
const WAITS_MS = [100, 250, 500, 1000, 2000];

export class Live {
  private socket: WebSocket | undefined;
  private cursor: number | undefined; // of the next byte; undefined: near the end
  private pending = 0;
  private tries = 0;
  private timer: number | undefined;
  private isOver = false;
  private isLeft = false; // until what is pending is drawn

  constructor(
    private readonly conversation: string,
    private readonly sink: Sink,
  ) {
    this.connect();
  }

  send(frame: Record<string, unknown>): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  close(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    if (this.isOver) return;
    const query = this.cursor === undefined ? "" : `?from_cursor=${this.cursor}`;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const path = `/api/pty/${this.conversation}/live${query}`;
    const socket = new WebSocket(`${scheme}://${location.host}${path}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (message) => this.heard(socket, message.data as string | ArrayBuffer);
    socket.onclose = () => this.closed(socket);
    this.socket = socket;
  }

  private heard(socket: WebSocket, data: string | ArrayBuffer): void {
    if (socket !== this.socket) return;
    if (typeof data === "string") {
      const event = JSON.parse(data) as StreamEvent;
      if (event.type === "live") this.begun(event);
      else if (event.type === "refused" && event["error"] === "cursor_out_of_range") {
        this.cursor = undefined; // another server's state: begin anew
      } else this.sink.event(event);
      return;
    }
    const bytes = new Uint8Array(data);
    this.cursor = (this.cursor ?? 0) + bytes.length;
    this.pending += bytes.length;
    this.sink.bytes(bytes, () => this.drawn(bytes.length));
    if (this.pending > PENDING_BYTES_MAX) {
      this.isLeft = true;
      this.cursor = undefined;
      this.socket = undefined;
      socket.close();
    }
  }

  private begun(event: StreamEvent): void {
    this.tries = 0;
    if (this.cursor === undefined) {
      this.sink.fresh(event["cols"] as number, event["rows"] as number);
    }
    this.cursor = event["cursor"] as number;
    this.sink.connected(true);
  }

  private drawn(size: number): void {
    this.pending -= size;
    if (this.isLeft && this.pending === 0) {
      this.isLeft = false;
      this.connect();
    }
  }

  private closed(socket: WebSocket): void {
    if (socket !== this.socket || this.isOver) return;
    this.sink.connected(false);
    const wait = WAITS_MS[Math.min(this.tries++, WAITS_MS.length - 1)];
    this.timer = window.setTimeout(() => this.connect(), wait);
  }
}

// The blocks of one conversation, as the page knows them: old ones fetched, new ones told.

import type { Block } from "../api";
import { asked } from "../looking";
import type { StreamEvent } from "./live";

const PAGE = 200;

interface Since {
  items: Block[];
  resume_cursor: number;
}

export class Blocks {
  private byId = new Map<string, Block>();
  private cursor = 0;
  private fetching: Promise<void> | undefined;

  constructor(
    private readonly conversation: string,
    private readonly changed: (blocks: Block[]) => void,
  ) {}

  /** All that have ended; called again after a gap, it fetches what is new. */
  fetch(): Promise<void> {
    this.fetching ??= this.fetchAll().finally(() => (this.fetching = undefined));
    return this.fetching;
  }

  private async fetchAll(): Promise<void> {
    for (;;) {
      const answer = await asked<Since>("blocks.since", {
        conversation_id: this.conversation,
        from_cursor: this.cursor,
        limit: PAGE,
      });
      if (!answer?.ok) return;
      answer.items.forEach((block) => this.take(block));
      this.cursor = answer.resume_cursor;
      if (answer.items.length < PAGE) break;
    }
    await this.fetchRunning();
    this.tell();
  }

  private async fetchRunning(): Promise<void> {
    const status = await asked<{ active_block_id: string | null }>("pty.status", {
      conversation_id: this.conversation,
    });
    if (!status?.ok || !status.active_block_id) return;
    const found = await asked<{ block: Block }>("blocks.get", {
      conversation_id: this.conversation,
      block_id: status.active_block_id,
    });
    if (found?.ok) this.take(found.block);
  }

  /** What has ended does not run again, however late an answer comes. */
  private take(block: Block): void {
    const known = this.byId.get(block.block_id);
    if (known && known.ts_end !== null && block.ts_end === null) return;
    this.byId.set(block.block_id, block);
  }

  heard(event: StreamEvent): void {
    if (event.type !== "agent_block_begin" && event.type !== "agent_block_end") return;
    this.take(event["block"] as Block);
    this.tell();
  }

  private tell(): void {
    this.changed([...this.byId.values()].sort((one, other) => one.seq - other.seq));
  }
}

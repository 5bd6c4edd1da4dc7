// The search through the output of all blocks; each hit leads to its line.

import { useState } from "preact/hooks";
import { said, type Block, type Hit } from "../api";
import { asked } from "../looking";

export function Search({ id, blocks }: { id: string; blocks: Block[] }) {
  const [query, setQuery] = useState("");
  const [isRegex, setRegex] = useState(false);
  const [hits, setHits] = useState<Hit[]>();
  const [isCut, setCut] = useState(false);
  const [fault, setFault] = useState("");
  const search = async (event: Event) => {
    event.preventDefault();
    if (!query) return setHits(undefined);
    const answer = await asked<{ hits: Hit[]; truncated: boolean }>("blocks.search", {
      conversation_id: id,
      query,
      match_type: isRegex ? "regex" : "substring",
      ignore_case: true,
      limit: 100,
    });
    if (!answer) return;
    setFault(answer.ok ? "" : said(answer));
    setHits(answer.ok ? answer.hits : undefined);
    setCut(answer.ok && answer.truncated);
  };
  const commands = new Map(blocks.map((block) => [block.block_id, block.cmd]));
  return (
    <search>
      <form class="search" onSubmit={(event) => void search(event)}>
        <input
          type="search"
          aria-label="Search all output"
          placeholder="Search all output"
          value={query}
          onInput={(event) => { setQuery(event.currentTarget.value); if (!event.currentTarget.value) setHits(undefined); }}
        />
        <label>
          <input type="checkbox" checked={isRegex} onChange={(event) => setRegex(event.currentTarget.checked)} /> regex
        </label>
        <button type="submit">Search</button>
      </form>
      {fault && <p class="fault" role="alert">{fault}</p>}
      {hits && (
        <ol class="hits" aria-label="Found">
          {hits.length === 0 && <li>Nothing found.</li>}
          {hits.map((hit) => (
            <li key={`${hit.block_id}:${hit.line}:${hit.cursor}`}>
              <a href={`#${hit.block_id}:${hit.line}:${hit.cursor}`}>
                <code>{hit.text.slice(0, 300)}</code>
                <small>{commands.get(hit.block_id) ?? hit.block_id}, line {hit.line}</small>
              </a>
            </li>
          ))}
          {isCut && <li class="empty">There are more; these are the newest {hits.length}.</li>}
        </ol>
      )}
    </search>
  );
}


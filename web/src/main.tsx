// The page begins here.

import { render } from "preact";
import { App } from "./app";
import "./style/base.css";
import "./style/shell.css";
import "./style/terminal.css";
import "./style/asking.css";
import "./style/repl.css";

const host = document.getElementById("page");
if (host) render(<App />, host);

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Label, OptionList


class Colours(App[str]):
    def compose(self) -> ComposeResult:
        yield Label("Pick a colour")
        yield OptionList("red", "green", "blue", "cyan")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.exit(str(event.option.prompt))


print("GOT", Colours().run())

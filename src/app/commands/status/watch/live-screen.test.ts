import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { type Job, openLiveScreen, type Terminal } from "./live-screen.ts";

const enter = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const leave = "\u001b[?7h\u001b[?25h\u001b[?1049l";

function open() {
  const written: string[] = [];
  const terminal = Object.assign(new EventEmitter(), {
    columns: 10,
    rows: 2,
    write: (text: string) => written.push(text),
  });
  const job = Object.assign(new EventEmitter(), {
    pid: 7,
    kill: (...args: unknown[]) => written.push(args.join()),
  });
  const redraw = () => written.push("redraw");
  const screen = openLiveScreen(terminal as Terminal, job as Job, redraw);
  /** What was written since the last call. */
  const news = () => written.splice(0);
  return { terminal, job, screen, news };
}

test("lines are overwritten from the top; what is below them is erased", () => {
  const { screen, news } = open();
  expect(news()).toEqual([enter]);
  screen.draw(["one"]);
  expect(news()).toEqual(["\u001b[H\u001b[Kone\r\n\u001b[J"]);
  // A line break after the last line of the screen would scroll it.
  screen.draw(["one", "two"]);
  expect(news()).toEqual(["\u001b[H\u001b[Kone\r\n\u001b[Ktwo"]);
});

test("the terminal is restored once, by close or when the process exits", () => {
  const closed = open();
  closed.screen.close();
  closed.screen.close();
  expect(closed.news()).toEqual([enter, leave]);
  expect([...closed.job.eventNames(), ...closed.terminal.eventNames()]).toEqual([]);
  const exited = open();
  exited.job.emit("exit");
  exited.screen.close();
  expect(exited.news()).toEqual([enter, leave]);
});

test("Ctrl-Z restores it before the process stops; it comes back with the process", () => {
  const { job, screen, news } = open();
  job.emit("SIGTSTP");
  screen.draw(["not shown"]);
  expect(news()).toEqual([enter, leave, "7,SIGSTOP"]);
  job.emit("SIGCONT");
  expect(news()).toEqual([enter, "redraw"]);
});

test("a resize draws again; a terminal without a size has a usual one", () => {
  const { terminal, screen, news } = open();
  terminal.emit("resize");
  expect(news()).toEqual([enter, "redraw"]);
  Object.assign(terminal, { columns: 0, rows: undefined });
  expect(screen.size()).toEqual({ columns: 80, rows: 24 });
});

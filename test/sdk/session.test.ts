import { expect, test } from "vitest";

import { Session, Todo } from "../../src/sdk/index.ts";

class Note {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value that is iterable itself. */
class Playlist extends Array<string> {}

test("keeps one list for each class", () => {
  const session = new Session();
  session.slice(Note).append(new Note("a"));
  session.slice(Note).append(new Note("b"));

  expect(session.slice(Note).all()).toEqual([new Note("a"), new Note("b")]);
  expect(session.slice(Note).latest()).toEqual(new Note("b"));
  expect(session.slice(Note).where((note) => note.text === "a")).toEqual([new Note("a")]);
  expect(session.slice(Todo).all()).toEqual([]);
});

test("an empty slice has no latest value", () => {
  expect(new Session().slice(Note).latest()).toBeUndefined();
});

test("seed replaces everything with one value or several, clear with none", () => {
  const notes = new Session().slice(Note);

  notes.append(new Note("old"));
  notes.seed([new Note("a"), new Note("b")]);
  expect(notes.all()).toEqual([new Note("a"), new Note("b")]);

  notes.seed(new Note("c"));
  expect(notes.all()).toEqual([new Note("c")]);

  notes.clear();
  expect(notes.all()).toEqual([]);
});

test("seed takes one value for one value even if it is iterable", () => {
  const playlists = new Session().slice(Playlist);

  playlists.seed(Playlist.of("a", "b") as Playlist);

  expect(playlists.all()).toHaveLength(1);
});

test("what was handed out does not change", () => {
  const notes = new Session().slice(Note);
  const before = notes.all();

  notes.append(new Note("new"));

  expect(before).toEqual([]);
  expect(() => (before as Note[]).push(new Note("x"))).toThrow(TypeError);
});

test("a todo cannot be changed", () => {
  const todo = new Todo({ content: "Write tests", status: "pending", activeForm: "Writing tests" });

  expect(() => Object.assign(todo, { status: "completed" })).toThrow(TypeError);
  expect(todo).toMatchObject({ content: "Write tests", status: "pending", activeForm: "Writing tests" });
});

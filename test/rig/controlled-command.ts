import { once } from "node:events";
import { createServer, type Server, type Socket, type AddressInfo } from "node:net";

/**
 * A command whose every run connects back to the test, which then decides what it prints and when it exits: concurrency,
 * timeouts and cancellation without sleeping.
 */
export class ControlledCommand implements AsyncDisposable {
  readonly #server: Server;
  readonly #waiting: Invocation[] = [];
  readonly #takers: ((invocation: Invocation) => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => this.#arrive(socket));
  }

  static async create(): Promise<ControlledCommand> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ControlledCommand(server);
  }

  /** The shell line; a name tells several apart. */
  command(name = ""): string {
    const { port } = this.#server.address() as AddressInfo; // a listening TCP server has one
    const script =
      `const s=require("net").connect(${port},"127.0.0.1",()=>s.write(${JSON.stringify(name)}+" "+process.pid+"\\n"));` +
      `let t="";s.on("data",d=>{t+=d;for(let i;(i=t.indexOf("\\n"))>=0;){const m=JSON.parse(t.slice(0,i));t=t.slice(i+1);` +
      `if(m.print!==undefined)process.stdout.write(m.print);if(m.exit!==undefined)process.exit(m.exit)}});s.on("close",()=>process.exit(99))`;
    return `node -e '${script}'`;
  }

  /** The next run that has started and not been taken yet. */
  started(): Promise<Invocation> {
    const ready = this.#waiting.shift();
    if (ready !== undefined) return Promise.resolve(ready);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** Runs that have started and were not taken yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  #arrive(socket: Socket): void {
    socket.on("error", () => {});
    socket.once("data", (hello) => {
      const [name = "", pid = ""] = hello.toString().trim().split(" ").slice(-2);
      const invocation = new Invocation(socket, { name: pid === "" ? "" : name, pid: Number(pid || name) });
      const taker = this.#takers.shift();
      if (taker === undefined) this.#waiting.push(invocation);
      else taker(invocation);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const invocation of this.#waiting) invocation.exit(0);
    await Promise.resolve();
  }
}

export class Invocation {
  readonly name: string;
  readonly pid: number;
  readonly gone: Promise<unknown>;
  readonly #socket: Socket;

  constructor(socket: Socket, { name, pid }: { name: string; pid: number }) {
    this.#socket = socket;
    this.name = name;
    this.pid = pid;
    this.gone = new Promise((resolve) => socket.once("close", resolve));
  }

  print(text: string): void {
    this.#socket.write(`${JSON.stringify({ print: text })}\n`);
  }

  exit(code: number): void {
    this.#socket.write(`${JSON.stringify({ exit: code })}\n`);
  }
}

// Preloaded into a server's process (`node --import`): whatever port and host the server asks for, it listens on a
// free port of 127.0.0.1, says which one to the process that forked it, and ends with that process.
import { Server } from 'node:net';

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(...args) {
  this.once('listening', () => process.send?.({ port: this.address().port }));
  const whenListening = args.findLast((arg) => typeof arg === 'function');
  return Reflect.apply(listen, this, [{ host: '127.0.0.1', port: 0 }, whenListening]);
};

process.once('disconnect', () => process.exit());

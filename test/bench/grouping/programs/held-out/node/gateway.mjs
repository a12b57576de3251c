// A client of an HTTP service with retries; the transport is simulated.
// case request status: get /users/17 503 | get /v2/orders/ab12 502 | sync /items 500 | sync /users/9/tags 504
// case request body: get /health 200 | get /users/3 201 | sync /orders/8 200 | sync /items 203
// case connect refused: dial db-1.internal 5432 | dial cache 6379 | pool 10.0.0.7 8080 | pool web.example.org 443
// case connect port: dial db-1.internal 0 | dial cache 70001 | pool web.example.org 99999 | pool 10.0.0.7 123456

export class ApiError extends Error {
  constructor(message, { path, status, cause }) {
    super(`${message}: GET ${path}${status ? ` (${status})` : ''}`, { cause });
    this.name = this.constructor.name;
  }

  static fromStatus(path, status) {
    return new ApiError('unexpected status', { path, status });
  }
}

async function request(path, status) {
  if (status >= 500) throw ApiError.fromStatus(path, status);
  try {
    return JSON.parse(`{"path": "${path}", `);
  } catch (cause) {
    throw new ApiError('unreadable body', { path, cause });
  }
}

function connect(host, port) {
  if (port < 1 || port > 65_535) throw new RangeError(`port ${port} of ${host} is out of range`);
  const error = new Error(`connect ECONNREFUSED ${host}:${port}`);
  throw Object.assign(error, { code: 'ECONNREFUSED', syscall: 'connect' });
}

async function retrying(times, action) {
  try {
    return await action();
  } catch (error) {
    if (times === 0) throw error;
  }
  return retrying(times - 1, action);
}

class Pool {
  #open;

  constructor(open) {
    this.#open = open;
  }

  fill(size) {
    return Array.from({ length: size }, () => this.#open());
  }
}

const [command, first, text] = process.argv.slice(2);
const number = Number(text);
if (command === 'get') await request(first, number);
else if (command === 'sync') await retrying(number % 3, () => request(first, number));
else if (command === 'dial') connect(first, number);
else new Pool(() => connect(first, number)).fill(3);

// Checks what users may do; a wrapper times every check.
// case allow role: read ada acme delete | read bob-2 globex publish | nested cy initech publish | nested dee acme purge
// case allow suspended: read ada hooli read | read eve hooli delete | nested fay hooli read | nested gus hooli read
// case session expired: login ada 1699999999 | login ops@acme.test 1500000000 | refresh bob 1600000001 | refresh cy 12
// case session token: login ada x91-7 | login bob 16999z | refresh cy token7 | refresh dee nil

class AccessDenied extends Error {
  name = 'AccessDenied';
  status = 403;
}

class SessionError extends Error {
  get name() {
    return 'SessionError';
  }
}

const denied = (user, action, tenant) => new AccessDenied(`${user} may not ${action} in ${tenant}`);

const timed =
  (check) =>
  async (...args) => {
    const began = Date.now();
    try {
      return await check(...args);
    } finally {
      timed.ms = Date.now() - began;
    }
  };

const allow = timed((user, tenant, action) => {
  if (tenant === 'hooli') throw new AccessDenied(`tenant ${tenant} is suspended, ${user} has to wait`);
  if (action !== 'read') throw denied(user, action, tenant);
});

function session(user, token) {
  const issued = Number(token);
  if (Number.isNaN(issued)) throw new SessionError(`malformed token "${token}" of ${user}`);
  if (issued < 1_700_000_000) throw new SessionError(`session of ${user} expired at ${issued}`);
  return issued;
}

async function nested(depth, ...args) {
  if (depth > 0) return await nested(depth - 1, ...args);
  return await allow(...args);
}

const [command, user, ...rest] = process.argv.slice(2);
if (command === 'read') await allow(user, ...rest);
else if (command === 'nested') await nested(user.length, user, ...rest);
else if (command === 'login') session(user, ...rest);
else setImmediate(() => session(user, ...rest));

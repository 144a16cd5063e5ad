import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into the API before its own code. On each request it tells the longest delay of the event loop since the last,
 * and the processor time of the main thread, in ms. The API's own metric has a resolution of only 10 ms.
 */

const port = process.env.BENCH_LOOP_PORT;
if (isMainThread && port !== undefined && process.argv[1]?.endsWith('programs/api.ts')) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  createServer((_request, response) => {
    const delay = delays.max / 1e6;
    delays.reset();
    const { user, system } = process.threadCpuUsage();
    response.end(JSON.stringify({ delay, processor: (user + system) / 1e3 }));
  })
    .listen(Number(port), '127.0.0.1')
    .unref();
}

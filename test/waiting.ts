// While a test only waits for unreferenced timers, Bun 1.4.5 polls without a pause: a second of CPU time each second.
setInterval(() => undefined, 2 ** 30)

import { chromium } from 'playwright-core'

/** The Chromium of the system. */
export const launchChromium = () =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    // A container may have next to no shared memory.
    args: ['--disable-dev-shm-usage'],
    // Chromium's own sandbox refuses to run as root.
    chromiumSandbox: process.getuid?.() !== 0,
  })

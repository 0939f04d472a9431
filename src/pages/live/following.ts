import { type Assets, assetPath } from '../assets.ts'
import { type Html, html } from '../html.ts'
import type { Viewing } from '../site.ts'

/** Changes after which a cage looks different. */
const types = [
  'cage.changed',
  'fight.called',
  'fight.started',
  'fight.ended',
  'fight.corrected',
  'fight.removed',
  'schedule.changed',
  // They stand for many of the others, see src/changes/README.md.
  'tournament.added',
  'tournament.changed',
] as const

/** Attributes by which `browser/live.ts` finds the feed of changes, and the worker that all tabs share. */
export const following = ({ address }: Viewing, assets: Assets): Html =>
  html`data-follow="${address(`/changes/stream?type=${types.join(',')}`)}" data-worker="${address(assetPath(assets, 'changes.js'))}"`

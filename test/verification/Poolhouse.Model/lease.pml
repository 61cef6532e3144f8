/* How a lease reads its item: Lease.Value and a concurrent end of the lease, on a processor that may reorder loads (ARM64).

   The reader loads the item and then the version: if the version is still that of its lease, the item was its own. Without a barrier
   the two loads may happen in either order, although the second is an acquire, which only orders later accesses. The end of
   the lease is a compare-and-swap, a full fence, so its stores are seen in order: the version, and then the item that the entry clears
   when it has been destroyed, or the next version, of another lease.

   Checked: a reader that finds the version of its lease has the item of its lease; a reader that comes too late finds another version.

     eng/models.sh runs it, and again with -DNO_READ_BARRIER and -DITEM_FIRST, where an error must be found. */

#define MINE 1

byte version = MINE;        /* odd: leased */
byte item = MINE;           /* 0: forgotten */

proctype Reader()
{
  byte seen, got;
  if
  :: got = item; seen = version
#ifdef NO_READ_BARRIER                   /* MISTAKE */
  :: seen = version; got = item
#endif
  fi;
  assert(seen != MINE || got == MINE)
}

proctype Ender()
{
#ifndef ITEM_FIRST                       /* MISTAKE: the item is forgotten before the lease has ended */
  version = MINE + 1;
  item = 0
#else
  item = 0;
  version = MINE + 1
#endif
}

init
{
  atomic {
    run Reader();
    run Ender()
  }
}

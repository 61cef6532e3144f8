/* How leases of a cache end: LeaseSlot.TryReturnHere, LeaseSlot.TryEnd and LeaseSlotStore.LetLeasesEndAnywhere, on a machine with
   store buffers (x86-TSO). One lease, whose copies were passed on with synchronization; pushes and taints are left out.

   The owner, which began the lease, ends it in a busy section of its stack with plain stores, as long as the store says that leases
   end on their threads. Two other threads have copies of the lease. Each changes the store first, if that has not been done, and
   then tries a compare-and-swap. The owner does so, too, when it finds the store changed.

   The owner's stores go through a FIFO buffer that drains to memory at any later time; its loads see its own stores, or else memory.
   A locked instruction and the process-wide barrier wait until the buffer is empty.

   Checked: the lease ends exactly once, and nobody is stuck (valid end states).

     eng/models.sh runs it, and again with each mistake that is marked MISTAKE below, where an error must be found. */

#define OTHERS 2
#define BUSY 0
#define VERSION 1

bit on_their_threads = 1;
bit anywhere = 0;
bit busy = 0;               /* what memory holds */
bit version = 0;            /* 0: leased, 1: ended */
chan buffer = [4] of { bit, bit };
bit gate = 0;
byte ends = 0;
byte done = 0;

inline compare_and_swap()
{
  atomic {
    if
    :: version == 0 -> version = 1; ends++
    :: else
    fi
  }
}

active proctype Owner()
{
  bit plain = 0;
  buffer ! BUSY, 1;
  if
  :: on_their_threads ->
    if
    :: version == 0 ->                        /* it has no store of its own to the version in its buffer */
      buffer ! VERSION, 1;
      ends++;
      plain = 1
    :: else
    fi
  :: else
  fi;
  buffer ! BUSY, 0;
  if
  :: !plain ->
    empty(buffer);                            /* the lock prefix */
    compare_and_swap()
  :: else
  fi;
  done++
}

active [OTHERS] proctype Other()
{
#ifndef NO_CHANGE                             /* MISTAKE: it does not tell the owner */
#ifdef TRUSTS_THE_FIRST                       /* MISTAKE: it does not wait for a change that another thread has begun */
  if
  :: on_their_threads ->
#else
  if
  :: !anywhere ->
#endif
    atomic { gate == 0 -> gate = 1 };
    on_their_threads = 0;
#ifndef NO_BARRIER                            /* MISTAKE */
    empty(buffer);                            /* the barrier returns when the owner's stores are in memory */
#endif
#ifndef NO_WAIT                               /* MISTAKE */
    busy == 0;                                /* SpinUntilQuiescent */
#endif
    anywhere = 1;
    gate = 0
  :: else
  fi;
#endif
  compare_and_swap();
  done++
}

active proctype StoreBuffer()
{
  bit location, value;
  do
  :: atomic {
    buffer ? location, value ->
    if
    :: location == BUSY -> busy = value
    :: else -> version = value
    fi
  }
  :: done == OTHERS + 1 && empty(buffer) -> break
  od;
  assert(ends == 1 && version == 1)
}

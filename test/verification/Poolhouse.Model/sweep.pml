/* How a sweeper closes a thread's stack: ThreadStack and Lane.GatherLocked, on a machine with store buffers (x86-TSO).

   The owner's stores to busy go through a FIFO buffer that drains to memory at any later time; its loads of limit do not wait for it.
   Without a barrier the sweeper can read busy == 0 from memory while the owner's busy = 1 still sits in the buffer, and the owner can
   read limit == 1 just before it is closed: both are inside. The process-wide barrier drains the owner's buffer between the sweeper's
   store to limit and its load of busy.

   Checked: never both inside (an item taken twice), never stuck (valid end states), and a closed stack can be opened again.

     eng/models.sh runs it, and again with -DNO_BARRIER and -DNO_WAIT, where an error must be found. */

#define OPERATIONS 3
#define SWEEPS 2

bit limit = 1;              /* 1: open, 0: closed */
bit busy = 0;               /* what memory holds */
chan buffer = [4] of { bit };
bit locked = 0;             /* the lane's lock */
bit owner_inside = 0;
bit sweeper_inside = 0;
bit done = 0;

inline lock()   { atomic { locked == 0 -> locked = 1 } }
inline unlock() { locked = 0 }

inline enter_and_check(who, other)
{
  atomic { who = 1; assert(!other) }
}

active proctype Owner()
{
  byte n = 0;
  do
  :: n < OPERATIONS ->
    buffer ! 1;                               /* busy = 1 */
    if
    :: limit == 1 ->
      enter_and_check(owner_inside, sweeper_inside);
      owner_inside = 0;
      buffer ! 0                              /* busy = 0: drained after what the section wrote */
    :: limit == 0 ->
      buffer ! 0;
      lock();                                 /* the slow path */
      enter_and_check(owner_inside, sweeper_inside);
      owner_inside = 0;
      limit = 1;
      unlock()
    fi;
    n++
  :: else -> break
  od;
  done = 1
}

active proctype Sweeper()
{
  byte n = 0;
  do
  :: n < SWEEPS ->
    lock();
    limit = 0;
#ifndef NO_BARRIER
    empty(buffer);                            /* the barrier returns when the owner's stores are in memory */
#endif
#ifndef NO_WAIT
    busy == 0;                                /* AwaitQuiet */
#endif
    enter_and_check(sweeper_inside, owner_inside);
    sweeper_inside = 0;
    unlock();
    n++
  :: else -> break
  od
}

active proctype StoreBuffer()
{
  bit value;
  do
  :: atomic { buffer ? value -> busy = value }
  :: done && empty(buffer) -> break
  od
}

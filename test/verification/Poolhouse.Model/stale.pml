/* A late cancellation: it refers to an item of work by its version and its lane (lane A), checks the item under A's lock, and may
   take it only if it still belongs to the same use. Meanwhile the item is reused: by another pool (lane B, with another lock), and then
   in A again.

   LaneQueue.TryRemove reads, WorkItem.Prepare and the lane that accepts the item write. Unordered loads and stores occur in any
   order, as on a processor with weak memory (ARM64).

   Deliberately broken:
     PLAIN_READS      Taken is read without acquire: the three loads in any order
     VERSION_FIRST    the version is read before Taken, in order
     PLAIN_WRITES     Taken is written without release, or before the lane                                                        */

#define A 1
#define B 2

byte lane = A;
byte version = 0;
bool taken = true;          /* the first use has ended */
bool lockA = false;

proctype canceller() {
  byte seenLane, seenVersion;
  bool seenTaken, hasLane, hasVersion, hasTaken;

  atomic { !lockA -> lockA = true };
#ifdef VERSION_FIRST
  seenVersion = version;
  seenTaken = taken;
  seenLane = lane;
#else
#ifndef PLAIN_READS
  seenTaken = taken;        /* acquire: nothing below is read before it */
  hasTaken = true;
#endif
  do
  :: !hasTaken -> seenTaken = taken; hasTaken = true
  :: !hasLane -> seenLane = lane; hasLane = true
  :: !hasVersion -> seenVersion = version; hasVersion = true
  :: hasTaken && hasLane && hasVersion -> break
  od;
#endif

  /* The use that it remembers has ended: whatever it takes belongs to another use. */
  assert(seenTaken || seenLane != A || seenVersion != 0);
  lockA = false
}

/* One use: prepared without a lock, accepted under that of its lane. */
inline use(number, where) {
  hasLane = false; hasVersion = false; hasTaken = false;
  do
  :: !hasLane -> lane = where; hasLane = true
  :: !hasVersion -> version = number; hasVersion = true
#ifdef PLAIN_WRITES
  :: !hasTaken && where == B -> taken = false; hasTaken = true
#endif
  :: hasLane && hasVersion -> break
  od;
  if
  :: where == A -> atomic { !lockA -> lockA = true }; taken = false; lockA = false
  :: where == B && !hasTaken -> taken = false
  :: else -> skip
  fi
}

proctype owner() {
  bool hasLane, hasVersion, hasTaken;

  use(1, B);
  taken = true;             /* a worker of B has taken it and run it */
  use(2, A)
}

init { atomic { run canceller(); run owner() } }

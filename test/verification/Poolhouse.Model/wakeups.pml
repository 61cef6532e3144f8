/* How workers are woken for queued items: WorkerSet, with Worker's loop and the counts of LaneQueue.

   Callers queue items and check whether a worker searches; if none does, they wake an idle worker or start one. A worker without
   work searches, if no other one does, becomes idle, and checks again. Idle workers may be made to leave (idle time, Trim). A command
   may be sent to any worker at any time: also while it becomes idle, wakes up, or ends. The pool may begin to drain at any time: then
   no worker becomes idle any more. An item may have a follower, the next item of its key, which the worker that ran it makes runnable.

   Fences. A caller links its item and then reads the searching and the idle workers; a worker becomes idle and then checks the queue.
   Each store must be in memory before the loads after it. Stores go through a store buffer (x86-TSO) that drains at any time; a lock is
   released by a store too, so it stays locked for others until that store has drained. A fence and every interlocked operation drain it.
   -DNO_POST_FENCE and -DNO_REST_FENCE omit a fence.

   Steps. A section under the gate is one step, except where others read without it. Each read without a lock is a separate step.

   A worker that leaves keeps its slot until its thread is about to end: the thread that made it leave only lowers the number of idle workers.

   Every item runs until as many have begun as could at once (NEED). So if an item is queued while a worker is idle or a slot is free, and
   no thread will take it, no process can continue, and the checker finds an invalid end state.

   A command is written under the bell and read by the thread that took the gate in between, so it is in memory by then.

   Not modelled: lanes, capacity and removal of items out of turn; the failure to start a thread; a pool that becomes smaller, whose
   surplus workers leave as in a drain.

   Checked
     no item stays queued while a worker is idle or may be started: every item ends (I5)
     every command is run, or skipped by a thread that ends
     at most one worker searches
     never more workers than slots (I2)
     a worker that was taken out of the idle list is signalled, once

     eng/models.sh runs it for several sizes, and again with each mistake that is marked MISTAKE below, where an error must be found. */

#ifndef CALLERS
#define CALLERS 2
#endif
#ifndef POSTS
#define POSTS 1             /* of each caller */
#endif
#ifndef MAX
#define MAX 2               /* MaxWorkers */
#endif
#ifndef LEAVES
#define LEAVES 0            /* how many resting workers are made to leave */
#endif
#ifndef COMMANDS
#define COMMANDS 0           /* for worker 0; one lasts until all items have begun, if others can run them */
#endif
#ifndef FOLLOWERS
#define FOLLOWERS 0
#endif
#ifndef DRAINS
#define DRAINS 0
#endif
#ifndef WARM
#define WARM 0              /* how many workers are there from the start */
#endif

#define ITEMS (CALLERS * POSTS + FOLLOWERS)
#define SLOTS MAX
#if MAX > LEAVES
#define LASTING LEAVES      /* others can run the items: destroying the state of one that leaves lasts until all have begun */
#else
#define LASTING 0
#endif
#if CALLERS * POSTS < MAX - COMMANDS - LASTING
#define NEED (CALLERS * POSTS)
#else
#define NEED (MAX - COMMANDS - LASTING)
#endif

#define NONE 0              /* WorkerSignal */
#define LOOK 1
#define SEARCH 2
#define END 3

/* without the gate */
byte linked, taken;         /* items that were queued, and that were taken */
bit linking[CALLERS];       /* a link in a caller's store buffer */
byte searching;
byte begun, ended, followed;
byte sent, settled;         /* commands */

/* under the gate, and read without it: resting, in_use */
bit locked;
bit idle[SLOTS];
bit pushing[SLOTS];         /* in the store buffer: the push to the idle list, and the gate that opens after it */
byte resting, in_use;
bit draining;

/* of each worker */
byte signal[SLOTS];
bit hired[SLOTS], command[SLOTS];
bit reachable[SLOTS];       /* its thread has not ended: commands reach it */
bit ahead[SLOTS];           /* hired ahead of demand: does not search */
bit alive[SLOTS];           /* holds capacity; a worker that left may end late, as its successor may begin late */

#define RUNNABLE (linked != taken)

inline fence_of_caller(c) { linking[c] == 0 }
inline fence_of_worker(w) { pushing[w] == 0 }
inline enter() { atomic { locked == 0 -> locked = 1 } }
inline leave_gate() { locked = 0 }

inline send(w, what)
{
  atomic { assert(signal[w] == NONE); signal[w] = what }
}

/* WorkerSet.WakeOrStart. Uses found, w. */
inline summon()
{
  do
  :: true ->
    if
    :: resting > 0
    :: else ->
      if
      :: in_use < MAX
      :: else -> break
      fi
    fi;
    if
    :: atomic { searching == 0 -> searching = 1 }
    :: atomic { searching != 0 -> goto_break = 1 }
    fi;
    if
    :: goto_break -> goto_break = 0; break
    :: else
    fi;
    atomic {
      locked == 0 ->
      found = SLOTS; w = 0;
      do
      :: w < SLOTS && idle[w] -> found = w; break       /* any of them: which is the last does not matter here */
      :: w < SLOTS -> w++
      :: w >= SLOTS -> break
      od;
      if
      :: found < SLOTS ->
        idle[found] = 0; resting--;
        assert(signal[found] == NONE); signal[found] = SEARCH
      :: found == SLOTS && in_use < MAX ->
        w = 0;
        do
        :: w < SLOTS && !alive[w] && !hired[w] -> found = w; hired[w] = 1; alive[w] = 1; in_use++; assert(in_use <= MAX); break
        :: else -> w++
        od
      :: else
      fi
    }
    if
    :: found < SLOTS -> break
    :: else ->
      searching--;
      if
      :: RUNNABLE
      :: else -> break
      fi
    fi
  od
}

inline notify()
{
  if
  :: searching == 0 -> summon()
  :: else
  fi
}

/* WorkerSet.CheckAgain */
inline look_again()
{
  if
  :: RUNNABLE -> notify()
  :: else
  fi
}

/* WorkerSet.StopSearching */
inline stop_searching()
{
  searches = 0;
  atomic { assert(searching == 1); searching--; last = 1 }
#ifndef NO_NEXT_SEARCHER                 /* MISTAKE: a burst ends with its first item */
  if
  :: RUNNABLE -> summon()
  :: else
  fi
#endif
}

proctype Caller(byte c)
{
  byte posted = 0, found, w;
  bit goto_break = 0;
  do
  :: posted < POSTS ->
    linking[c] = 1;                      /* under the lock of the lane */
#ifndef NO_POST_FENCE                    /* MISTAKE */
    fence_of_caller(c);
#endif
    notify();
    fence_of_caller(c);                  /* the next lock does */
    posted++
  :: else -> break
  od
}

proctype Worker(byte me)
{
  byte found, w;
  bit searches, got, last, goto_break = 0;
end_off:
  hired[me];
  atomic { hired[me] = 0; searches = !ahead[me]; ahead[me] = 0; reachable[me] = 1 }
loop:
  if
  :: command[me] ->
#ifndef SEARCHES_ON_A_COMMAND            /* MISTAKE: no worker is woken meanwhile */
    if
    :: searches -> stop_searching()
    :: else
    fi;
#endif
#ifndef NO_WORD_BEFORE_A_COMMAND         /* MISTAKE: it was relied on for what its last item made runnable */
    look_again();
#endif
#if MAX > COMMANDS
    begun == ITEMS;
#endif
    atomic { command[me] = 0; settled++ }
  :: else
  fi;
  atomic {
    got = 0;
    if
    :: RUNNABLE -> taken++; got = 1
    :: else
    fi
  }
  if
  :: got ->
    if
    :: searches -> stop_searching()
    :: else
    fi;
    begun++;
    begun >= NEED;
    atomic {
      ended++;
      if
      :: followed < FOLLOWERS -> followed++; linked++         /* Advance, without a word: it looks itself */
      :: else
      fi
    }
    goto loop
  :: else
  fi;
  if
  :: !searches ->
    if
    :: atomic { searching == 0 -> searching = 1; searches = 1 }
    :: atomic { searching != 0 -> skip }
    fi
  :: else
  fi;
  if
  :: searches && (RUNNABLE || command[me]) -> goto loop     /* FindsByLooking, for as long as it likes */
  :: true
  fi;

  /* TryRest */
  enter();
  if
  :: draining ->
    leave_gate();
    if
    :: searches -> searches = 0; searching--
    :: else
    fi;
    look_again();
    goto gone
  :: else -> pushing[me] = 1
  fi;
  if
  :: searches -> fence_of_worker(me); searches = 0; searching--
  :: else
  fi;
#ifndef NO_REST_FENCE                    /* MISTAKE */
  fence_of_worker(me);
#endif
#ifndef NO_SECOND_LOOK                   /* MISTAKE */
  if
#ifndef NO_LOOK_FOR_COMMANDS              /* MISTAKE: one that came before this was at rest waits for the next wake-up */
  :: (RUNNABLE || command[me]) ->
#else
  :: RUNNABLE ->
#endif
    fence_of_worker(me);                 /* the gate does */
    atomic {
      locked == 0 ->
      got = idle[me];
      if
      :: got -> idle[me] = 0; resting--
      :: else
      fi
    }
    if
    :: got ->
#ifndef GETS_UP_WITHOUT_SEARCHING        /* MISTAKE: what came while it searched is forgotten, but for one */
      if
      :: atomic { searching == 0 -> searching = 1; searches = 1 }
      :: atomic { searching != 0 -> skip }
      fi;
#endif
      goto loop
#ifndef NO_WORD_WHEN_TAKEN               /* MISTAKE: it was relied on as the one that searches, and has been made to leave */
    :: else -> look_again()
#else
    :: else
#endif
    fi
  :: else
  fi;
#endif
end_rest:
  atomic { signal[me] != NONE -> found = signal[me]; signal[me] = NONE; searches = (found == SEARCH) }
  if
  :: found == END -> goto gone
  :: else -> goto loop
  fi;
gone:
  assert(!searches);
#if LASTING > 0
  begun == ITEMS;
#endif
#ifndef FORGETS_COMMANDS                  /* MISTAKE: what came too late is neither run nor skipped */
  atomic {
    if
    :: command[me] -> command[me] = 0; settled++
    :: else
    fi;
    reachable[me] = 0
  }
#else
  reachable[me] = 0;
#endif
  enter();                               /* WorkerTermination.OnEnded: the state has been destroyed */
  in_use--;
  alive[me] = 0;
  leave_gate();
#ifndef NO_LOOK_AFTER_LEAVING            /* MISTAKE: items that found neither an idle worker nor free capacity are lost */
  look_again();
#endif
  goto end_off
}

/* Look, Trim: a resting worker is to leave. */
proctype Leaver()
{
  byte left = 0, found, w, who;
  bit goto_break = 0;
  do
  :: left < LEAVES ->
end_leaver:
    atomic {
      locked == 0 && resting > 0 -> who = 0;
      do
      :: idle[who] -> break
      :: else -> who++
      od;
      idle[who] = 0;
      resting--
    }
    send(who, END);
    look_again();
    left++
  :: else -> break
  od
}

/* WorkerSet.Wake, of worker 0 */
inline nudge()
{
  atomic {
    locked == 0 ->
    got = idle[0];
    if
    :: got -> idle[0] = 0; resting--
    :: else
    fi
  }
  if
  :: got -> send(0, LOOK)
  :: else
  fi
}

/* A worker gets something of its own to do, whatever it does now. */
proctype Sender()
{
  bit got;
  do
  :: sent < COMMANDS ->
#ifndef LOOKS_BEFORE_IT_SENDS            /* MISTAKE */
end_sender:
    atomic { reachable[0] && !command[0] -> command[0] = 1; sent++ }
    nudge()
#else
    nudge();
end_sender:
    atomic { reachable[0] && !command[0] -> command[0] = 1; sent++ }
#endif
  :: else -> break
  od
}

proctype Drain()
{
  byte w;
  enter();
  draining = 1;
  atomic {
    w = 0;
    do
    :: w < SLOTS ->
      if
      :: idle[w] -> idle[w] = 0; resting--; assert(signal[w] == NONE); signal[w] = LOOK
      :: else
      fi;
      w++
    :: else -> break
    od
  }
  leave_gate()
}

proctype StoreBuffers()
{
  byte n;
end_buffers:
  do
  :: atomic { linking[0] -> linking[0] = 0; linked++ }
#if CALLERS > 1
  :: atomic { linking[1] -> linking[1] = 0; linked++ }
#endif
  :: atomic { pushing[0] -> pushing[0] = 0; idle[0] = 1; resting++; locked = 0 }
#if SLOTS > 1
  :: atomic { pushing[1] -> pushing[1] = 0; idle[1] = 1; resting++; locked = 0 }
#endif
#if SLOTS > 2
  :: atomic { pushing[2] -> pushing[2] = 0; idle[2] = 1; resting++; locked = 0 }
#endif
#if SLOTS > 3
  :: atomic { pushing[3] -> pushing[3] = 0; idle[3] = 1; resting++; locked = 0 }
#endif
  od
}

init
{
  byte n = 0;
  atomic {
    do
    :: n < SLOTS ->
      if
      :: n < WARM -> alive[n] = 1; hired[n] = 1; ahead[n] = 1; in_use++
      :: else
      fi;
      run Worker(n);
      n++
    :: else -> break
    od;
    n = 0;
    do
    :: n < CALLERS -> run Caller(n); n++
    :: else -> break
    od;
    run StoreBuffers();
#if LEAVES > 0
    run Leaver();
#endif
#if COMMANDS > 0
    run Sender();
#endif
#if DRAINS > 0
    run Drain();
#endif
  }
  ended == ITEMS;
  settled == sent
}

/* How an item of a resource pool passes from one caller to the next: ResourceCore, with IdleStore, WaiterQueue and Waiter.

   Callers take and return items through cells without a lock, wait in a queue under the gate, and may cancel at any time. Background
   work creates, validates and destroys. A bounded number of failures may occur (MISHAPS): a creation fails, an idle item is too old
   or dead, a caller discards its item.

   Fences. A returner fills its cell and then reads the reasons for the slow path; a renter sets them and then checks the cells. Each store
   must be in memory before the load after it: Interlocked.Exchange does that, on every machine. The store to the reasons goes through a
   store buffer (x86-TSO) that drains at any time, and the fence drains it; -DNO_REASONS_FENCE omits the fence. The thread that leaves
   the gate has drained it. A store to a cell that is not a fence is modelled by a load that overtakes it: -DNO_CELL_FENCE.

   Steps. A section under the gate is one step up to and including the first access that others can see without the gate; each further
   access (a cell that is swept) is a separate step. The wake-ups and the work that follow the end of the section belong to the same
   step: a thread that was woken or started may always be slow. A waiter whose outcome is decided cannot change it, so the CAS that
   decides it and the update of the reasons that follows are one step.

   Not modelled: suspension, changes of MaxSize, expiry, shedding, the throttle of creations. A timeout is modelled as a cancellation:
   both are one CAS outside the gate and then Withdraw.

   Checked
     an item has one holder                                               (I1)
     never more capacity is taken than there is                           (I2)
     at the end, all capacity belongs to idle items, or is free after a close (I3)
     no caller waits forever while an item is idle or capacity is free: no invalid end state (I5)
     a caller that cancelled keeps nothing                                (I6: it would be missing from I3)
     no caller is queued twice, and the reasons contain the queue whenever the gate is free: no caller is overtaken (I4)

     eng/models.sh runs it for several sizes, and again with each mistake that is marked MISTAKE below, which must cause an error. */

#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef CAPACITY
#define CAPACITY 1            /* MaxSize */
#endif
#ifndef CELLS
#define CELLS 1             /* a power of two */
#endif
#ifndef CANCELS
#define CANCELS 1
#endif
#ifndef MISHAPS
#define MISHAPS 1
#endif
#ifndef WORKERS
#define WORKERS 1
#endif

#define WAITING 1           /* SlowPathReasons.Waiting */
#define CLOSING 2           /* SlowPathReasons.Closing */
#define OPEN 0              /* Lifecycle */
#define DRAINING 1
#define CLOSED 2
#define NOTHING 0           /* instead of an item; items are 1..CAPACITY */

mtype:outcome = { UNDECIDED, GIVEN, CANCELLED, REFUSED };
#define CREATE 1            /* jobs */
#define VALIDATE 2
#define DESTROY 3

/* without the gate */
byte cell[CELLS];
byte reasons;                /* what memory holds */
mtype:outcome outcome[CLIENTS];
byte awake;                 /* a bit for each client that was woken */

/* under the gate */
bit locked;
chan buffer = [2] of { byte };                  /* the store buffer of the gate's holder: stores to the reasons */
byte latest;                                    /* the last of them: what the holder itself reads */
chan queue = [CLIENTS] of { byte };
chan list = [CAPACITY] of { byte };               /* idle items that are in no cell; their order does not matter here */
byte lifecycle = OPEN;
byte live, creating, validating, destroying;
byte given[CLIENTS];                            /* Waiter.Entry: written by the winner of the outcome */
byte registered;                                /* a bit for each item that exists */

chan work = [2 * CAPACITY] of { byte, byte };  /* PolicyCall on the thread pool */
byte held;                                      /* a bit for each leased item */
byte cancels = CANCELS;
byte mishaps = MISHAPS;
byte finished;

#define BIT(n) (1 << (n))
#define SUPPLIES (creating + validating)
#define REASONS ((len(queue) > 0 -> WAITING : 0) | (lifecycle != OPEN -> CLOSING : 0))

/* What each thread has of its own. */
#define LOCALS byte entry, value, taken, i, who, to_wake; bit holding, opens, plans, gathers

/* Whether an idle item is needed: for waiters without a pending item (Plan), or to be destroyed because no caller comes
   any more (DestroyIfDrained). */
#define SWEEPS ((plans && lifecycle != CLOSED && len(queue) > SUPPLIES) || (gathers && lifecycle != OPEN && len(queue) == 0))

inline close_gate()
{
  !locked -> locked = 1;
  holding = 1
}

inline fence()
{
  do
  :: buffer ? value -> reasons = value
  :: len(buffer) == 0 -> value = 0; break
  od
}

/* Apply follows: it wakes the waiters in to_wake. */
inline open_gate()
{
#ifdef REASONS_AFTER_SWEEP
  update_reasons();
#endif
  fence();
  assert(reasons == REASONS);
  assert(live >= creating + validating + destroying && live <= CAPACITY);
  awake = awake | to_wake;
  to_wake = 0;
  i = 0;
  plans = 0;
  gathers = 0;
  holding = 0;
  locked = 0
}

/* ResourceCore.UpdateSlowPathReasons */
inline update_reasons()
{
  if
  :: latest != REASONS ->
    latest = REASONS;
    buffer ! latest;
#ifndef NO_REASONS_FENCE                         /* MISTAKE: Volatile.Write instead of Interlocked.Exchange */
    fence()
#endif
  :: else
  fi
}

/* CoreState.Destroy */
inline destroy(item)
{
  destroying++;
  work ! DESTROY, item
}

inline use_taken()
{
  if
  :: len(queue) > 0 -> validating++; work ! VALIDATE, taken
  :: else -> destroy(taken)
  fi;
  taken = NOTHING
}

/* The end of a section under the gate: DestroyIfDrained if gathers, Plan if plans. The list is taken at once; each cell is a
   separate step. */
inline settle()
{
  do
  :: SWEEPS && len(list) > 0 -> list ? taken; use_taken()
  :: else -> break
  od;
  if
  :: SWEEPS && i < CELLS
  :: else ->
    do
    :: plans && lifecycle != CLOSED && len(queue) > SUPPLIES && live < CAPACITY -> live++; creating++; work ! CREATE, NOTHING
    :: else -> break
    od;
    if
    :: i > 0 && (len(buffer) > 0 || latest != REASONS) -> opens = 1   /* a store comes after the load of a cell: a separate step */
    :: else -> open_gate()
    fi
  fi
}

/* IdleStore.TrySweep, repeatedly */
inline sweep_cells()
{
  do
  :: atomic { opens -> opens = 0; open_gate() }
  :: atomic { holding && !opens ->
      taken = cell[i];
      cell[i] = NOTHING;
      i++;
      if
      :: taken != NOTHING -> i = 0; use_taken()
      :: else
      fi;
      settle()
    }
  :: !holding -> break
  od
}

/* ResourceCore.OfferLocked */
inline dispatch()
{
  if
  :: lifecycle == CLOSED -> destroy(entry)
  :: else ->
    do
    :: len(queue) == 0 -> list ! entry; break
    :: len(queue) > 0 ->
      queue ? who;
      if
#ifdef GIVEN_TO_CANCELLED                       /* MISTAKE: the result of TryDecide(Given) is not checked */
      :: true ->
#else
      :: outcome[who] == UNDECIDED ->
#endif
        outcome[who] = GIVEN;                   /* the one CAS */
        given[who] = entry;
        to_wake = to_wake | BIT(who);
        break
      :: else                                   /* lost: the entry goes to the next */
      fi
    od;
    who = 0;
#ifdef NO_GATHER_BEHIND_THE_LAST                /* MISTAKE: DestroyIfDrained is called only if no waiter was served */
    gathers = !to_wake;
#else
    gathers = 1;
#endif
    update_reasons()
  fi;
  entry = NOTHING
}

/* ResourceCore.Offer(entry, now) */
inline offer()
{
  atomic { close_gate(); dispatch(); plans = 1; settle() };
  sweep_cells()
}

/* ResourceCore.TryServeHead: a return to a full pool with waiting callers, without a plan; it keeps the entry if that must be offered */
inline hand_over()
{
  if
  :: atomic { reasons == WAITING && !locked ->
      close_gate();
      if
      :: latest == WAITING && live == CAPACITY ->
        queue ? <who>;
        if
#ifdef GIVEN_TO_CANCELLED
        :: true ->
#else
        :: outcome[who] == UNDECIDED ->
#endif
          queue ? who;
          outcome[who] = GIVEN;                 /* the one CAS */
          given[who] = entry;
          to_wake = BIT(who);
          entry = NOTHING;
#ifndef NO_REASONS_AFTER_HAND_OVER              /* MISTAKE: the reasons still tell of a queue that is empty */
          update_reasons()
#endif
        :: else
        fi;
        who = 0
      :: else
      fi;
      open_gate()
    }
  :: reasons != WAITING
  fi
}

/* ResourceCore.TryFollow: enters the queue of a full pool behind others, without a plan; seen tells whether it did */
inline follow()
{
  if
  :: atomic { entry == NOTHING && reasons == WAITING && !locked ->
      close_gate();
      if
      :: latest == WAITING && live == CAPACITY && validating == 0 ->
        assert(!(queue ?? [eval(me)]));
        queue ! me;
        seen = 1
      :: else
      fi;
      open_gate()
    }
  :: entry != NOTHING || reasons != WAITING
  fi
}

/* ResourceCore.Enter, with the entry that is too stale to use; refused when the pool is closed */
inline enter()
{
  atomic {
    close_gate();
    if
    :: entry != NOTHING -> validating++; work ! VALIDATE, entry; entry = NOTHING
    :: else
    fi;
    if
    :: lifecycle == OPEN ->
      assert(!(queue ?? [eval(me)]));
      queue ! me;
#ifndef REASONS_AFTER_SWEEP                      /* MISTAKE: the reasons are updated after Plan */
      update_reasons()
#endif
    :: else -> outcome[me] = REFUSED
    fi;
    plans = 1;
    if
    :: SWEEPS                                   /* the sweep is a separate step */
    :: else -> settle()
    fi
  };
  sweep_cells()
}

/* ResourceCore.Withdraw */
inline withdraw()
{
  atomic {
    close_gate();
#ifndef NO_WITHDRAW                             /* MISTAKE: a cancelled waiter stays in the queue */
    if
    :: queue ?? [eval(me)] -> queue ?? eval(me); update_reasons()
    :: !(queue ?? [eval(me)])
    fi;
#endif
    gathers = 1;
    settle()
  };
  sweep_cells()
}

/* An item gets a holder. */
inline hold()
{
  if
  :: entry != NOTHING -> assert(!(held & BIT(entry)) && (registered & BIT(entry))); held = held | BIT(entry)
  :: else
  fi
}

inline let_go() { held = held & ~BIT(entry) }

/* ResourceCore.TryTakeHot */
inline take_hot()
{
  if
  :: reasons == 0 -> atomic { entry = cell[me % CELLS]; cell[me % CELLS] = NOTHING; hold() }
  :: reasons != 0
  fi
}

/* ResourceCore.TryTakeIdle */
inline take_idle()
{
  if
  :: reasons & WAITING
  :: atomic { !(reasons & WAITING) && !locked ->
      close_gate();
      if
      :: len(queue) > 0 || lifecycle != OPEN -> open_gate()
      :: else ->
        if
        :: len(list) > 0 -> list ? entry; hold(); open_gate()
        :: else
        fi
      fi
    }
  fi;
  do
  :: atomic { holding ->
      entry = cell[i];
      cell[i] = NOTHING;
      i++;
      hold();
      if
      :: entry != NOTHING || i == CELLS -> open_gate()
      :: else
      fi
    }
  :: !holding -> break
  od
}

/* ResourceCore.TryPutHot, with OfferHot; or TryServeHead, or an offer */
inline put()
{
  if
  :: atomic { reasons != 0 -> let_go() };
    hand_over();
    if
    :: entry != NOTHING -> offer()
    :: else
    fi
  :: atomic { reasons == 0 -> let_go() };
#ifdef NO_CELL_FENCE                            /* MISTAKE: the cell is filled with Volatile.Write: the load below overtakes it */
    seen = reasons;
    atomic { displaced = cell[me % CELLS]; cell[me % CELLS] = entry; entry = NOTHING };
#else
    atomic { displaced = cell[me % CELLS]; cell[me % CELLS] = entry; entry = NOTHING };
#ifndef NO_SECOND_LOOK                          /* MISTAKE: OfferHot is called only for an entry that was displaced */
    seen = reasons;
#endif
#endif
    if
    :: seen != 0 ->
      atomic { seen = 0; entry = cell[me % CELLS]; cell[me % CELLS] = NOTHING };
      if
      :: entry != NOTHING -> offer()
      :: else
      fi
    :: else
    fi;
    if
    :: displaced != NOTHING -> atomic { entry = displaced; displaced = NOTHING }; offer()
    :: else
    fi
  fi
}

/* A caller: ResourcePool.RentAsync, the lease, and its end */
proctype Client(byte me)
{
  LOCALS;
  byte displaced, seen, n;
  do
  :: n < ROUNDS ->
    take_hot();
    if
    :: entry == NOTHING -> take_idle()
    :: else
    fi;
    if
    :: entry != NOTHING
    :: atomic { entry != NOTHING && mishaps > 0 -> mishaps--; let_go() } -> goto wait   /* too stale to use: it is queued with the caller that found it */
    :: entry == NOTHING ->
wait:
      follow();
      if
      :: seen -> seen = 0
      :: else -> enter()
      fi;
      do
      :: outcome[me] == REFUSED -> goto out
      :: atomic { outcome[me] == GIVEN && (awake & BIT(me)) ->
          awake = awake & ~BIT(me);
          entry = given[me];
          given[me] = NOTHING;
          outcome[me] = UNDECIDED;
          hold()
        } -> break
#ifdef CANCELS_GIVEN                            /* MISTAKE: a cancellation is not a CAS, and withdraws a waiter that was served */
      :: atomic { cancels > 0 -> cancels--; outcome[me] = CANCELLED } -> withdraw(); outcome[me] = UNDECIDED; break
#else
      :: atomic { cancels > 0 && outcome[me] == UNDECIDED -> cancels--; outcome[me] = CANCELLED } -> withdraw(); outcome[me] = UNDECIDED; break
#endif
      od
    fi;

    if
    :: entry != NOTHING ->
      if
      :: put()
      :: atomic { mishaps > 0 && !locked ->     /* Lease.Discard */
          mishaps--;
          let_go();
          close_gate();
          destroy(entry);
          entry = NOTHING;
          plans = 1;
          settle()
        };
        sweep_cells()
      fi
    :: else
    fi;
    n++
  :: else -> break
  od;
out:
  finished++
}

/* The background: CreateCall, ItemCall, DestroyCall */
proctype Worker()
{
  LOCALS;
  byte job;
end:
  do
  :: work ? job, entry;
    atomic {
      close_gate();
      plans = 1;
      if
      :: job == CREATE ->                       /* Created */
        do
        :: entry == NOTHING || (registered & BIT(entry)) -> entry++
        :: else -> break
        od;
        assert(entry <= CAPACITY);
        registered = registered | BIT(entry);
        creating--;
        dispatch()
      :: job == CREATE && mishaps > 0 ->        /* CreateFailed */
        mishaps--;
        creating--;
        live--;
        gathers = 1
      :: job == VALIDATE -> validating--; dispatch()
      :: job == VALIDATE && mishaps > 0 -> mishaps--; validating--; destroy(entry)
      :: job == DESTROY ->                      /* Destroyed */
        destroying--;
        live--;
        registered = registered & ~BIT(entry);
#ifdef NO_PLAN_AFTER_DESTROY                    /* MISTAKE: the released capacity is not offered */
        plans = 0
#endif
      fi;
      entry = NOTHING;
      job = 0;
      settle()
    };
    sweep_cells()
  od
}

#ifdef CLOSES
/* ResourceCore.Close: drained, then disposed; or one of them; or neither */
proctype Closer()
{
  LOCALS;
  byte next = DRAINING;
  do
  :: next == DRAINING ->
    atomic { close_gate(); lifecycle = DRAINING; update_reasons() };
    atomic { gathers = 1; settle() };
    sweep_cells();
    next = CLOSED
  :: next <= CLOSED ->
    atomic { close_gate(); lifecycle = CLOSED; update_reasons() };
    atomic {
      do
      :: len(queue) > 0 ->
        queue ? who;
        if
        :: outcome[who] == UNDECIDED -> outcome[who] = REFUSED
        :: else
        fi
      :: else -> break
      od;
      who = 0;
      update_reasons();
      gathers = 1;
#ifndef NO_GATHER_AT_CLOSE                      /* MISTAKE: items in the cells stay there when the pool closes */
      settle()
#else
      open_gate()
#endif
    };
    sweep_cells();
    break
  :: break
  od;
  finished++
}
#define CLOSERS 1
#else
#define CLOSERS 0
#endif

active proctype StoreBuffer()
{
  byte value;
end:
  do
  :: atomic { buffer ? value -> reasons = value; value = 0 }
  od
}

init
{
  byte i, n;
  atomic {
    do
    :: i < CLIENTS -> outcome[i] = UNDECIDED; run Client(i); i++
    :: else -> break
    od;
    for (i : 1 .. WORKERS) { run Worker() }
#ifdef CLOSES
    run Closer();
#endif
  };

  atomic {
    finished == CLIENTS + CLOSERS && creating + validating + destroying == 0 && !locked ->
    i = 0;
    n = len(list);
    do
    :: i < CELLS -> n = n + (cell[i] != NOTHING); i++
    :: else -> break
    od;
    assert(len(queue) == 0 && reasons == REASONS);
    assert(live == n);
    assert(lifecycle == OPEN || live == 0)
  }
}

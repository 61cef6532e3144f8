using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Simulation;

/// <summary>
/// One run: a real pool with a fake clock, a fake server and fake threads, all of them driven by one seed on one thread.
/// </summary>
/// <remarks>
/// First a phase of chaos, in which all kinds of failures occur; then a phase of calm, in which every caller must be served and
/// the gauges return to zero; then the disposal of the pool, which must leave nothing behind. Synchronous rents block a thread,
/// so they cannot be simulated on one: the contract suite and the stress tests cover them, and the explorer covers threads that
/// cannot start.
/// </remarks>
internal sealed class World
{
    // Longer than anything that may remain from the chaos: hanging hooks, retries, forgotten leases.
    private const long CalmLimit = 120_000 * Dice.Millisecond;
    private const int MostEventsInChaos = 1_200;
    private const int MostEventsInOneMillisecond = 5_000;

    private readonly List<Task> _tasks = [];
    private readonly IdleOrder _order;
    private readonly Random _random;
    private Func<World, bool>? _sabotage;
    private long _millisecond;
    private int _eventsInMillisecond;

    public World(Theme theme, int seed, Func<World, bool>? sabotage = null)
    {
        Dice = new Dice((seed * 16) + (int)theme);
        Scenario = new Scenario(theme, Dice);
        Time = new SimulatedTime(Dice);
        History = new History(Time);
        Threads = new SimulatedThreads(Dice, Time, Scenario.SlowestThread)
        {
            LacksMemory = Scenario.RefusalRate > 0,
            RefusalRate = Scenario.RefusalRate,
        };
        Referee = new Referee(Time, Threads, History, Scenario);
        Server = new SimulatedServer(Dice, Time, History, Scenario, Referee);
        _order = Dice.Chance(0.3) ? IdleOrder.Fifo : IdleOrder.Lifo;
        _random = new Random(seed);
        _sabotage = sabotage;
        FirstOptions = DrawOptions();
        Referee.Options = FirstOptions;
        Threads.Posted = Posted;
        var capacity = theme == Theme.SharedCapacity ? new SharedCapacity<SimulatedItem>(Dice.Between(1, 8)) : null;
        Pool = new ResourcePool<SimulatedItem>(Server, FirstOptions, capacity?.Join(), reportedAs: null);
        Referee.Pool = Pool;
        Neighbour = capacity is null ? null : new Neighbour(this, capacity);
    }

    public Dice Dice { get; }

    public Scenario Scenario { get; }

    public SimulatedTime Time { get; }

    public History History { get; }

    public SimulatedThreads Threads { get; }

    public Referee Referee { get; }

    public SimulatedServer Server { get; }

    public ResourcePool<SimulatedItem> Pool { get; }

    /// <summary>The pool that shares the capacity, or null.</summary>
    public Neighbour? Neighbour { get; }

    public ResourcePoolOptions FirstOptions { get; }

    public Tally Tally => Referee.Tally;

    public bool IsChaos { get; private set; } = true;

    public long Events { get; private set; }

    public ResourcePoolOptions DrawOptions()
    {
        var options = Scenario.DrawOptions(Dice);
        options.IdleOrder = _order;
        options.TimeProvider = Time;
        options.Scheduler = Threads;
        options.Random = _random;
        return options;
    }

    /// <summary>Adds a task that must end before the run.</summary>
    public void Start(Task task) => _tasks.Add(task);

    /// <summary>Runs from the first rent to the end of the pool.</summary>
    /// <exception cref="BrokenPromiseException">The pool broke a promise.</exception>
    public void Run()
    {
        var operators = new Operators(this);
        for (var number = 1; number <= Scenario.Clients; number++)
        {
            Start(new Client(this, number).LiveAsync());
        }

        if (Neighbour is not null)
        {
            Start(Neighbour.LiveAsync());
        }

        Start(operators.ManageAsync());
        Start(operators.SabotageAsync());
        var closing = Scenario.Theme == Theme.SuddenEnd ? Dice.Time(1, Scenario.Chaos / (double)Dice.Millisecond) : long.MaxValue;
        RunUntil(() => Time.Now >= Math.Min(closing, Scenario.Chaos) || Events >= MostEventsInChaos, long.MaxValue, "chaos");
        var end = closing < long.MaxValue ? operators.EndAsync() : null;
        if (end is not null)
        {
            Start(end);
            var more = Events + 200;
            RunUntil(() => Time.Now >= Scenario.Chaos || Events >= more, long.MaxValue, "the closing");
        }

        Calm();
        RunUntil(AreTasksDone, Time.Now + CalmLimit, "the callers of the chaos phase");
        if (end is null)
        {
            for (var number = 1; number <= Referee.Options.MaxSize * 2; number++)
            {
                Start(new Client(this, 100 + number).InsistAsync(3));
            }

            RunUntil(AreTasksDone, Time.Now + CalmLimit, "the callers of the calm phase");
            RunUntil(IsAtRest, Time.Now + CalmLimit, "the pool to be at rest");
            Start(operators.EndAsync());
        }

        if (Neighbour is not null)
        {
            Start(Neighbour.EndAsync());
        }

        RunUntil(AreTasksDone, Time.Now + CalmLimit, "the end of the pool");
        for (var limit = Time.Now + CalmLimit; Step();)
        {
            Referee.Require(Time.Now < limit, "a timer of the pool fires repeatedly after its end");
        }

        Referee.AuditEnd();
    }

    private void Calm()
    {
        History.Add("calm");
        IsChaos = false;
        Threads.RefusalRate = 0;
        Server.IsWell = true;
        Server.IsDown = false;
    }

    private void RunUntil(Func<bool> done, long limit, string what)
    {
        while (!done())
        {
            if (!Step())
            {
                Referee.Require(
                    limit == long.MaxValue,
                    $"no events are left, and still outstanding: {what}. {Referee.Show(Pool.GetStatistics())}");
                return;
            }

            Referee.Require(Time.Now <= limit, $"it does not end: {what}. {Referee.Show(Pool.GetStatistics())}");
        }
    }

    private bool Step()
    {
        if (IsChaos && Scenario.JumpRate > 0 && Dice.Chance(Scenario.JumpRate))
        {
            var jump = Dice.Time(0.1, 3_000);
            History.Add("the clock jumps", 0, jump);
            Time.Jump(jump);
        }

        // The readings of the audit do not count as the pool's.
        Time.JumpRate = IsChaos ? Scenario.ReadingJumpRate : 0;
        var isOver = !TryStep();
        Time.JumpRate = 0;
        if (isOver)
        {
            return false;
        }

        Events++;
        CountPace();
        Referee.Audit();
        Neighbour?.Audit(Pool.GetStatistics(), Referee.IsAtRest);
        if (_sabotage is not null && Events > 50 && _sabotage(this))
        {
            _sabotage = null;
        }

        ThrowIfBroken();
        return true;
    }

    private bool TryStep()
    {
        if (!Threads.HasWork || (Time.IsSomethingDue && !Dice.Chance(0.7)))
        {
            return Time.TryStep();
        }

        Threads.RunOne();
        return true;
    }

    private void CountPace()
    {
        if (Time.Now / Dice.Millisecond != _millisecond)
        {
            _millisecond = Time.Now / Dice.Millisecond;
            _eventsInMillisecond = 0;
        }

        Referee.Require(++_eventsInMillisecond < MostEventsInOneMillisecond, "the pool is in a livelock: time does not advance");
    }

    private void ThrowIfBroken()
    {
        // Hooks run inside the pool, which ignores their exceptions, so violations found there are thrown here.
        Referee.ThrowIfBroken();
        for (var i = _tasks.Count - 1; i >= 0; i--)
        {
            if (_tasks[i].IsCompleted)
            {
                _tasks[i].GetAwaiter().GetResult();
                _tasks.RemoveAt(i);
            }
        }
    }

    private bool AreTasksDone() => _tasks.TrueForAll(task => task.IsCompleted);

    private bool IsAtRest()
    {
        var now = Pool.GetStatistics();
        return now is { Waiting: 0, Creating: 0, Resetting: 0, Validating: 0, Destroying: 0, Leased: 0 }
            && (Neighbour is not null || now.Idle >= Referee.Options.MinIdle);
    }

    private void Posted(IThreadPoolWorkItem work)
    {
        if (work is AsyncWaiter<ResourceEntry<SimulatedItem>, SimulatedItem> waiter)
        {
            Referee.Decided(waiter);
        }
        else if (work is CreateCall<SimulatedItem> && Referee.Pool is not null && !Threads.LacksMemory)
        {
            // Without memory a creation may start later, when it is no longer needed.
            Referee.AuditDemand();
        }
    }
}

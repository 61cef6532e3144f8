using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Tests.Measuring;

public sealed class Rounds
{
    [Fact]
    public void Rivals_take_turns_and_each_round_runs_on_every_thread()
    {
        var turns = new List<string>();
        Contender[] contenders = [new Recorder("a", turns), new Recorder("b", turns)];
        using var measurer = new Measurer(
            new Pace(3, TimeSpan.FromTicks(1), TimeSpan.Zero, TimeSpan.MaxValue), TimeProvider.System, CancellationToken.None);

        var results = measurer.Measure("test", new Cell("", 4, [], contenders));

        Assert.Equal(["a", "b", "b", "a", "a", "b"], turns.Skip(2));
        Assert.Equal(["a", "b"], results.Select(result => result.Rival));
        Assert.All(results, result => Assert.Equal(3, result.Rounds));
        Assert.All(contenders.Cast<Recorder>(), contender => Assert.Equal([0, 1, 2, 3], contender.Workers));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    public void Every_rival_follows_every_other_one_equally_often(int rivals)
    {
        var period = rivals % 2 == 0 ? rivals : 2 * rivals;

        var rounds = Enumerable.Range(0, period).Select(round => Turns.InRound(round, rivals)).ToList();

        Assert.All(rounds, order => Assert.Equal(Enumerable.Range(0, rivals), order.Order()));
        var pairs = rounds.SelectMany(order => order.Zip(order.Skip(1))).CountBy(pair => pair).ToList();
        Assert.Equal(rivals * (rivals - 1), pairs.Count);
        Assert.All(pairs, pair => Assert.Equal(period / rivals, pair.Value));
    }

    [Fact]
    public void An_exception_of_a_rival_reaches_the_caller_and_no_thread_keeps_waiting()
    {
        using var team = new Team(3, TimeProvider.System);

        Assert.Throws<InvalidOperationException>(() => team.Run(worker =>
        {
            if (worker == 1)
            {
                throw new InvalidOperationException("as planned");
            }
        }));
        team.Run(_ => { });
    }

    [Fact]
    public void Time_runs_until_the_last_thread_is_done()
    {
        var clock = new StepClock();
        using var team = new Team(2, clock);
        using var first = new ManualResetEventSlim();

        var elapsed = team.Run(worker =>
        {
            if (worker == 0)
            {
                first.Set();
                return;
            }

            first.Wait();
            clock.Advance(1000);
        });

        Assert.True(elapsed.Ticks >= 1000);
    }

    [Fact]
    public void A_thread_that_waits_for_a_core_does_not_make_a_few_calls_fill_a_round()
    {
        using var clock = new ThreadClock();
        using var measurer = new Measurer(
            new Pace(1, TimeSpan.FromMilliseconds(1), TimeSpan.Zero, TimeSpan.MaxValue), clock, CancellationToken.None);

        // A call takes 100 ns, and the second thread loses its core for a whole round each time.
        var result = Assert.Single(measurer.Measure("test", new Cell("", 2, [], [new Delayed(clock)])));

        Assert.InRange(result.OperationsPerRound, 1_000, 100_000);
    }

    [Fact]
    public void The_median_is_the_middle_or_the_mean_of_the_two_middles()
    {
        Assert.Equal(2, Medians.Of([3, 1, 2]));
        Assert.Equal(2.5, Medians.Of([4, 1, 2, 3]));
    }

    private sealed class Delayed(ThreadClock clock) : Contender("a")
    {
        public override void Start(int workers)
        {
        }

        public override void Work(int worker, long calls) => clock.Advance(calls + (worker * TimeSpan.TicksPerMillisecond));

        public override long OperationsIn(long calls) => calls;

        public override void Stop()
        {
        }
    }

    /// <summary>A time of its own for each thread.</summary>
    private sealed class ThreadClock : TimeProvider, IDisposable
    {
        private readonly ThreadLocal<long> _now = new();

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _now.Value;

        public void Advance(long ticks) => _now.Value += ticks;

        public void Dispose() => _now.Dispose();
    }

    private sealed class Recorder(string rival, List<string> turns) : Contender(rival)
    {
        public SortedSet<int> Workers { get; } = [];

        public override long? FixedCalls => 1;

        public override void Start(int workers)
        {
        }

        public override void BeforeRound() => turns.Add(Rival);

        public override void Work(int worker, long calls)
        {
            lock (Workers)
            {
                Workers.Add(worker);
            }
        }

        public override long OperationsIn(long calls) => calls;

        public override void Stop()
        {
        }
    }
}

namespace Poolhouse.Tests.Resources.Engine;

/// <summary>I15, I16: callers that wait through an outage are served soon after it, by one attempt at a time.</summary>
public sealed class CallersInOutages
{
    private const int MostAfterTheOutage = 100;

    private readonly List<(TaskCompletionSource<Part> Answer, int Due, bool Succeeds)> _running = [];
    private int _now;
    private int _attempts;
    private bool _isBack;

    [Theory]
    [InlineData(0)]
    [InlineData(0.5)]
    [InlineData(1)]
    public void A_waiting_caller_is_served_within_100_ms_after_the_server_is_back(double chance)
    {
        for (var outage = 1; outage <= 160; outage += 3)
        {
            var bench = NewBench(chance);
            var caller = bench.RequestAsync();
            Live(bench, outage);
            Assert.False(caller.IsCompleted);
            _isBack = true;
            Live(bench, MostAfterTheOutage);

            Assert.True(caller.IsCompletedSuccessfully, $"The caller was not served after an outage of {outage} ms.");
        }
    }

    [Theory]
    [InlineData(0.1)]
    [InlineData(0.5)]
    [InlineData(1)]
    public void Attempts_for_waiting_callers_are_some_tens_of_milliseconds_apart(double chance)
    {
        var bench = NewBench(chance);
        bench.Options.MaxConcurrentCreates = 1;
        for (var caller = 0; caller < 100; caller++)
        {
            _ = bench.RequestAsync();
        }

        Live(bench, 10);
        _attempts = 0;
        Live(bench, 1_000);

        Assert.InRange(_attempts, 19, 40);
    }

    [Theory]
    [InlineData(20)]
    [InlineData(60)]
    [InlineData(120)]
    public async Task A_caller_with_a_short_timeout_does_not_time_out_because_of_the_pause(int timeout)
    {
        // The server is back when a quarter of its time has passed, and creates an item in a millisecond.
        for (var arrival = 1; arrival <= 60; arrival += 2)
        {
            var bench = NewBench(chance: 1, creation: 1);
            _ = bench.RequestAsync();
            Live(bench, arrival);
            var hasty = bench.RequestAsync(TimeSpan.FromMilliseconds(timeout));
            Live(bench, timeout / 4);
            _isBack = true;
            Live(bench, timeout);

            Assert.True((await hasty).IsActive);
        }
    }

    [Fact]
    public void Callers_with_the_shortest_timeouts_cause_no_storm()
    {
        var bench = NewBench(chance: 1);
        bench.Options.MaxConcurrentCreates = 1;
        for (var passed = 0; passed < 1_000; passed++)
        {
            _ = bench.RequestAsync(TimeSpan.FromMilliseconds(2));
            Live(bench, 1);
        }

        // At least a tenth of RetryDelay apart.
        Assert.InRange(_attempts, 40, 100);
    }

    [Fact]
    public void Callers_without_a_timeout_are_served_after_an_outage_as_well()
    {
        var bench = NewBench(chance: 1);
        bench.Options.RentTimeout = Timeout.InfiniteTimeSpan;
        var caller = bench.RequestAsync();
        Live(bench, 300);
        _isBack = true;
        Live(bench, MostAfterTheOutage);

        Assert.True(caller.IsCompletedSuccessfully);
    }

    /// <summary>A server whose attempts fail after a millisecond while it is down, and take some more afterwards.</summary>
    private Workbench NewBench(double chance, int creation = 20)
    {
        _running.Clear();
        _isBack = false;
        var bench = new Workbench(maxSize: 4);
        bench.Random.Value = chance;
        bench.Policy.Creates = _ =>
        {
            _attempts++;
            Assert.True(_isBack || _running.TrueForAll(static attempt => attempt.Succeeds), "Two attempts at a time.");
            var answer = new TaskCompletionSource<Part>();
            _running.Add((answer, _now + (_isBack ? creation : 1), _isBack));
            return new ValueTask<Part>(answer.Task);
        };
        return bench;
    }

    private void Live(Workbench bench, int milliseconds)
    {
        bench.Run();
        for (var end = _now + milliseconds; _now < end;)
        {
            _now++;
            bench.Advance(0.001);
            foreach (var due in _running.Where(attempt => attempt.Due <= _now).ToList())
            {
                _running.Remove(due);
                if (due.Succeeds)
                {
                    due.Answer.SetResult(bench.Policy.New());
                }
                else
                {
                    due.Answer.SetException(new InvalidOperationException("down"));
                }
            }

            bench.Run();
        }
    }
}

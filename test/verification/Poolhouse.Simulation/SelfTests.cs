namespace Poolhouse.Simulation;

/// <summary>Tests of the simulation: its runs are repeatable, and its audit detects violations.</summary>
public sealed class SelfTests
{
    [Theory]
    [InlineData(Theme.Everyday)]
    [InlineData(Theme.UnreliableServer)]
    [InlineData(Theme.RestlessOperators)]
    [InlineData(Theme.SuddenEnd)]
    public void The_same_seed_repeats_the_same_run(Theme theme)
    {
        var first = Runs.RunOne(theme, seed: 7);
        var again = Runs.RunOne(theme, seed: 7);
        var other = Runs.RunOne(theme, seed: 8);

        Assert.Equal((first.Events, first.History.Hash, first.Time.Now), (again.Events, again.History.Hash, again.Time.Now));
        Assert.NotEqual(first.History.Hash, other.History.Hash);
    }

    [Theory]
    [InlineData("second owner", "(I1)")]
    [InlineData("lost item", "(I")]
    [InlineData("waiters out of order", "(I4)")]
    [InlineData("forgotten waiter", "callers wait")]
    [InlineData("unfit items", "(I8)")]
    [InlineData("past lives", "(I17)")]
    [InlineData("double return", "(I12)")]
    [InlineData("smaller pool", "MaxSize is")]
    public void Counters_that_disagree_with_the_pool_are_detected(string what, string promise)
    {
        // Not every violation is visible: callers that should be served in another order may all give up before one is served.
        var noticed = 0;
        for (var seed = 1; seed <= 20 && noticed < 2; seed++)
        {
            try
            {
                Runs.RunOne(Theme.Everyday, seed, world => world.Referee.Falsify(what));
            }
            catch (BrokenPromiseException broken)
            {
                noticed++;
                Assert.Contains(promise, broken.Message, StringComparison.Ordinal);
                Assert.Contains($"POOLHOUSE_SEED={seed}", broken.Message, StringComparison.Ordinal);
            }
        }

        Assert.True(noticed > 1, $"The audit did not detect: {what}.");
    }
}

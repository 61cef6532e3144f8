namespace Poolhouse.Simulation;

// One class for each theme, so that the themes run in parallel.
public sealed class EverydayPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_in_normal_operation() => Runs.Run(Theme.Everyday, output);
}

public sealed class UnreliableServerPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_with_hooks_that_hang_and_fail() => Runs.Run(Theme.UnreliableServer, output);
}

public sealed class OutagesPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_during_server_outages() => Runs.Run(Theme.Outages, output);
}

public sealed class RestlessOperatorsPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_while_operators_change_the_pool() => Runs.Run(Theme.RestlessOperators, output);
}

public sealed class LongLivesPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_for_items_that_expire() => Runs.Run(Theme.LongLives, output);
}

public sealed class SharedCapacityPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_for_pools_that_share_capacity() => Runs.Run(Theme.SharedCapacity, output);
}

public sealed class SuddenEndPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_when_a_busy_pool_is_closed() => Runs.Run(Theme.SuddenEnd, output);
}

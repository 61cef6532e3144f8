namespace Poolhouse.Simulation;

// One class a theme, so that the themes run side by side.
public sealed class EverydayPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_on_ordinary_days() => Runs.Run(Theme.Everyday, output);
}

public sealed class UnreliableServerPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_with_hooks_that_hang_and_fail() => Runs.Run(Theme.UnreliableServer, output);
}

public sealed class OutagesPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_when_the_server_comes_and_goes() => Runs.Run(Theme.Outages, output);
}

public sealed class RestlessOperatorsPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_while_the_pool_is_changed_all_the_time() => Runs.Run(Theme.RestlessOperators, output);
}

public sealed class LongLivesPool(ITestOutputHelper output)
{
    [Fact]
    public void Every_promise_holds_for_items_that_grow_old() => Runs.Run(Theme.LongLives, output);
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

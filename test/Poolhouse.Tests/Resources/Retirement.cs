namespace Poolhouse.Tests.Resources;

/// <summary>An item that a hook rejects has failed, unless the policy says that it retired it.</summary>
public sealed class Retirement
{
    private readonly Workbench _bench = new();

    [Theory]
    [InlineData(true, DestroyReason.Retired)]
    [InlineData(false, DestroyReason.Broken)]
    public void An_item_that_is_broken_on_return(bool retires, DestroyReason expected)
    {
        _bench.Policy.IsBrokenHook = _ => true;
        _bench.Policy.Retires = _ => retires;
        var lease = _bench.Rent();
        _bench.Return(lease);

        AssertDestroyed(expected);
    }

    [Theory]
    [InlineData(true, DestroyReason.Retired)]
    [InlineData(false, DestroyReason.ResetFailed)]
    public void An_item_whose_reset_returns_false(bool retires, DestroyReason expected)
    {
        _bench.Policy.Resets = (_, _) => new ValueTask<bool>(result: false);
        _bench.Policy.Retires = _ => retires;
        _bench.Fill(1);

        AssertDestroyed(expected);
    }

    [Theory]
    [InlineData(true, DestroyReason.Retired)]
    [InlineData(false, DestroyReason.ValidationFailed)]
    public void An_item_whose_validation_returns_false(bool retires, DestroyReason expected)
    {
        _bench.Policy.Validates = (_, _, _) => new ValueTask<bool>(result: false);
        _bench.Policy.Retires = _ => retires;
        _bench.Fill(1);
        _bench.Advance(2);
        _bench.Rent().Dispose();

        AssertDestroyed(expected);
    }

    [Fact]
    public void A_reset_that_throws_has_failed_even_if_the_policy_retires_the_item()
    {
        _bench.Policy.Resets = (_, _) => throw new IOException();
        _bench.Policy.Retires = _ => true;
        _bench.Fill(1);

        AssertDestroyed(DestroyReason.ResetFailed);
    }

    [Fact]
    public void A_policy_that_throws_has_not_retired_the_item()
    {
        _bench.Policy.IsBrokenHook = _ => true;
        _bench.Policy.Retires = _ => throw new IOException();
        _bench.Fill(1);

        AssertDestroyed(DestroyReason.Broken);
    }

    [Fact]
    public async Task An_item_of_a_shared_pool()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        var broken = false;
        bench.Policy.IsBrokenHook = part => broken && part.Number == 1;
        bench.Policy.Retires = _ => true;
        (await bench.RentAsync()).Dispose();
        broken = true;

        Assert.Equal(2, (await bench.RentAsync()).Value.Number);
        Background.Until(() => bench.Policy.Destroyed.Count == 1);
        Assert.Equal(DestroyReason.Retired, bench.Policy.Destroyed[0].Reason);
    }

    private void AssertDestroyed(DestroyReason expected)
    {
        Assert.Equal(expected, _bench.Policy.Destroyed[0].Reason);
        Assert.Equal(1, _bench.Now.DestroyedFor(expected));
        _bench.AssertBalanced();
    }
}

namespace Poolhouse.Tests.Resources;

/// <summary>An item that a hook rejects has failed, unless the policy says that it has expired.</summary>
public sealed class ExpiryByPolicy
{
    private readonly Workbench _bench = new();

    [Theory]
    [InlineData(true, DestroyReason.Expired)]
    [InlineData(false, DestroyReason.Broken)]
    public void An_item_that_is_broken_on_return(bool expires, DestroyReason expected)
    {
        _bench.Policy.IsBrokenHook = _ => true;
        _bench.Policy.Expires = _ => expires;
        var lease = _bench.Rent();
        _bench.Return(lease);

        AssertDestroyed(expected);
    }

    [Theory]
    [InlineData(true, DestroyReason.Expired)]
    [InlineData(false, DestroyReason.ResetFailed)]
    public void An_item_whose_reset_returns_false(bool expires, DestroyReason expected)
    {
        _bench.Policy.Resets = (_, _) => new ValueTask<bool>(result: false);
        _bench.Policy.Expires = _ => expires;
        _bench.Fill(1);

        AssertDestroyed(expected);
    }

    [Theory]
    [InlineData(true, DestroyReason.Expired)]
    [InlineData(false, DestroyReason.ValidationFailed)]
    public void An_item_whose_validation_returns_false(bool expires, DestroyReason expected)
    {
        _bench.Policy.Validates = (_, _, _) => new ValueTask<bool>(result: false);
        _bench.Policy.Expires = _ => expires;
        _bench.Fill(1);
        _bench.Advance(2);
        _bench.Rent().Dispose();

        AssertDestroyed(expected);
    }

    [Fact]
    public void A_reset_that_throws_has_failed_even_if_the_item_has_expired()
    {
        _bench.Policy.Resets = (_, _) => throw new IOException();
        _bench.Policy.Expires = _ => true;
        _bench.Fill(1);

        AssertDestroyed(DestroyReason.ResetFailed);
    }

    [Fact]
    public void A_policy_that_throws_does_not_let_the_item_expire()
    {
        _bench.Policy.IsBrokenHook = _ => true;
        _bench.Policy.Expires = _ => throw new IOException();
        _bench.Fill(1);

        AssertDestroyed(DestroyReason.Broken);
    }

    [Fact]
    public async Task An_item_of_a_shared_pool()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        var broken = false;
        bench.Policy.IsBrokenHook = part => broken && part.Number == 1;
        bench.Policy.Expires = _ => true;
        (await bench.RentAsync()).Dispose();
        broken = true;

        Assert.Equal(2, (await bench.RentAsync()).Value.Number);
        Background.Until(() => bench.Policy.Destroyed.Count == 1);
        Assert.Equal(DestroyReason.Expired, bench.Policy.Destroyed[0].Reason);
    }

    private void AssertDestroyed(DestroyReason expected)
    {
        Assert.Equal(expected, _bench.Policy.Destroyed[0].Reason);
        Assert.Equal(1, _bench.Now.DestroyedFor(expected));
        _bench.AssertBalanced();
    }
}

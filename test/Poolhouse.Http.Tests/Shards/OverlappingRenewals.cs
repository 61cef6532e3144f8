using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Shards;

/// <summary>
/// After a Clear or a change of addresses, each slot gets a shard that was created afterwards, although an older one was being
/// warmed up.
/// </summary>
public sealed class OverlappingRenewals
{
    private static readonly Uri _server = new("http://server/");
    private static readonly TimeSpan _lifetime = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan _lookUp = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_clear_during_a_renewal_is_final(bool hasMoved)
    {
        using var rig = await StartAsync();
        BeginRenewal(rig, hasMoved);
        rig.Handler.Clear();
        await EndRenewalAsync(rig);

        await Patience.UntilAsync(() => Disposed(rig) == 2 && rig.Now.Retiring == 0, "two shards to be retired");
        Assert.False(rig.Made[2].IsDisposed);
        Assert.Equal((1L, 0L, 0L), (rig.Now.Cleared, rig.Now.RetiredForLifetime, rig.Now.RetiredForDns));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_clear_over_time_during_a_renewal_replaces_what_the_renewal_created(bool hasMoved)
    {
        using var rig = await StartAsync();
        BeginRenewal(rig, hasMoved);
        rig.Handler.Clear(TimeSpan.FromSeconds(10));
        await EndRenewalAsync(rig);

        await Patience.UntilAsync(() => Advance(rig, () => Disposed(rig) == 2), "two shards to be retired");
        Assert.Equal((1L, 1L), (rig.Now.Cleared, rig.Now.RetiredForLifetime + rig.Now.RetiredForDns));
    }

    [Fact]
    public async Task A_change_of_addresses_during_a_renewal_replaces_what_the_renewal_created()
    {
        using var rig = await StartAsync();
        BeginRenewal(rig, hasMoved: false);
        rig.MoveTo("10.0.0.1");
        rig.Clock.Advance(_lookUp);
        await EndRenewalAsync(rig);

        await Patience.UntilAsync(() => Advance(rig, () => Disposed(rig) == 2), "two shards to be retired");
        Assert.False(rig.Made[2].IsDisposed);
        Assert.Equal((1L, 1L), (rig.Now.RetiredForDns, rig.Now.RetiredForLifetime));
    }

    [Fact]
    public async Task A_clear_over_time_does_not_postpone_a_change_of_addresses_during_a_renewal()
    {
        using var rig = await StartAsync();
        BeginRenewal(rig, hasMoved: false);
        rig.MoveTo("10.0.0.1");
        rig.Clock.Advance(_lookUp);
        rig.Handler.Clear(TimeSpan.FromDays(1));
        await EndRenewalAsync(rig);

        await Patience.UntilAsync(() => Advance(rig, () => Disposed(rig) == 2), "two shards to be retired");
        Assert.Equal((1L, 1L, 0L), (rig.Now.RetiredForDns, rig.Now.RetiredForLifetime, rig.Now.Cleared));
    }

    [Fact]
    public async Task A_warm_up_during_a_renewal_reaches_what_the_renewal_created()
    {
        using var rig = await StartAsync();
        BeginRenewal(rig, hasMoved: false);
        rig.Made[1].Answer = static _ => new HttpResponseMessage();
        var options = new HttpWarmUpOptions { TimeProvider = rig.Clock, Timeout = TimeSpan.FromDays(1) };
        await Patience.WithinAsync(rig.Handler.WarmUpAsync(new Uri(_server, "/two"), 1, options));

        await EndRenewalAsync(rig);

        await Patience.UntilAsync(() => rig.Now.RetiredForLifetime == 1, "the shard to be replaced");
        Assert.Contains("/two", rig.Made[1].Paths);
    }

    private static int Disposed(ShardRig rig) => rig.Made.Count(handler => handler.IsDisposed);

    private static bool Advance(ShardRig rig, Func<bool> isSo)
    {
        rig.Clock.Advance(TimeSpan.FromSeconds(1));
        return isSo();
    }

    /// <summary>One shard that was warmed up, with a lifetime and a watched host.</summary>
    private static async Task<ShardRig> StartAsync()
    {
        var rig = new ShardRig(1, static options =>
            (options.MaxLifetime, options.LifetimeJitter, options.WatchedHosts) = (_lifetime, 0, ["server"]));
        rig.Made[0].Answer = static _ => new HttpResponseMessage();
        var options = new HttpWarmUpOptions { TimeProvider = rig.Clock, Timeout = TimeSpan.FromDays(1) };
        await Patience.WithinAsync(rig.Handler.WarmUpAsync(_server, 1, options));
        return rig;
    }

    /// <summary>Begins a renewal whose warm-up waits; later ones do not.</summary>
    private static void BeginRenewal(ShardRig rig, bool hasMoved)
    {
        rig.Answer = null;
        if (hasMoved)
        {
            rig.MoveTo("10.0.0.2");
        }

        rig.Clock.Advance(hasMoved ? _lookUp : _lifetime + TimeSpan.FromSeconds(1));
        Assert.Equal(2, rig.Made.Count);
        rig.Answer = static _ => new HttpResponseMessage();
    }

    private static async Task EndRenewalAsync(ShardRig rig) => (await rig.Made[1].ComesAsync()).Respond();
}

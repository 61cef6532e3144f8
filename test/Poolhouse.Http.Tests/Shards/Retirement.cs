using System.Net;
using Poolhouse.Http.Internal;
using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Shards;

/// <summary>A shard that is replaced takes no more requests, finishes those that it has, and is disposed then.</summary>
public sealed class Retirement
{
    [Fact]
    public async Task A_retired_shard_is_disposed_when_its_last_response_has_ended_and_not_before()
    {
        using var rig = new ShardRig(1);
        var first = await rig.OccupyAsync();
        var second = await rig.OccupyAsync();
        rig.Handler.Clear();
        await rig.SendAsync();

        Assert.Equal([2, 1], rig.Counts);
        Assert.Equal((1, 1L), (rig.Now.Retiring, rig.Now.Cleared));
        first.Dispose();
        Assert.False(rig.Made[0].IsDisposed);
        second.Dispose();
        await Patience.UntilAsync(() => rig.Made[0].IsDisposed && rig.Now.Retiring == 0, "the retired shard to be disposed");
        Assert.False(rig.Made[1].IsDisposed);
    }

    [Fact]
    public async Task A_retired_shard_accepts_no_requests_and_is_disposed_once()
    {
        var disposals = 0;
        var handler = new ScriptedHandler();
        var shard = new Shard(handler, madeAt: 0, () => Interlocked.Increment(ref disposals));
        Assert.True(shard.TryBegin());
        shard.Retire();

        Assert.False(shard.TryBegin());
        shard.Retire();
        Assert.Equal((1, false), (shard.Outstanding, handler.IsDisposed));
        shard.End();
        await Patience.UntilAsync(() => Volatile.Read(ref disposals) == 1, "the shard to be disposed");
        Assert.False(shard.TryBegin());
        Assert.True(handler.IsDisposed);
    }

    [Fact]
    public async Task A_shard_without_requests_is_disposed_at_once()
    {
        using var rig = new ShardRig(2);
        rig.Handler.Clear();

        await Patience.UntilAsync(
            () => rig.Made[0].IsDisposed && rig.Made[1].IsDisposed && rig.Now.Retiring == 0, "both to be disposed");
        Assert.Equal((4, 2L), (rig.Made.Count, rig.Now.Cleared));
    }

    [Fact]
    public async Task Requests_are_served_without_an_error_while_shards_are_replaced()
    {
        using var rig = new ShardRig(3);
        using var enough = new CancellationTokenSource();
        var callers = Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            var sent = 0;
            for (; !enough.IsCancellationRequested; sent++)
            {
                await rig.SendAsync();
            }

            return sent;
        })).ToList();
        for (var i = 0; i < 200; i++)
        {
            rig.Handler.Clear();
            await Task.Yield();
        }

        await enough.CancelAsync();
        var sent = (await Patience.WithinAsync(Task.WhenAll(callers))).Sum();
        Assert.Equal(sent, rig.Counts.Sum());
        await Patience.UntilAsync(() => rig.Now.Retiring == 0, "all that were replaced to be disposed");
        Assert.Equal(603, rig.Made.Count);
        Assert.Equal(3, rig.Made.Count(handler => !handler.IsDisposed));
    }

    [Fact]
    public async Task Disposal_retires_every_shard_and_lets_responses_complete()
    {
        var rig = new ShardRig(2);
        var held = await rig.OccupyAsync();
        rig.Dispose();

        await Patience.UntilAsync(
            () => rig.Made.Count(handler => handler.IsDisposed) == 1, "the shard without requests to be disposed");
        using var invoker = new HttpMessageInvoker(rig.Handler);
        using var late = new HttpRequestMessage(HttpMethod.Get, new Uri("http://server/"));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => invoker.SendAsync(late, CancellationToken.None));
        Assert.Throws<ObjectDisposedException>(() => rig.Handler.Clear());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => rig.Handler.WarmUpAsync(new Uri("http://server/"), 1));
        held.Dispose();
        await Patience.UntilAsync(
            () => rig.Made.All(handler => handler.IsDisposed) && rig.Now.Retiring == 0, "the other one to be disposed");
        rig.Handler.Dispose();
        Assert.Equal(0, rig.Now.Retiring);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Disposal_retires_every_shard_although_a_callback_of_the_cancellation_throws_or_blocks(bool blocks)
    {
        using var blocked = new ManualResetEventSlim();
        Action callback = blocks ? blocked.Wait : static () => throw new InvalidOperationException("no");
        var rig = new ShardRig(2, options =>
        {
            options.WatchedHosts = ["server"];
            options.Resolve = (_, token) =>
            {
                token.Register(callback);
                return new ValueTask<IReadOnlyCollection<IPAddress>>(
                    new TaskCompletionSource<IReadOnlyCollection<IPAddress>>().Task);
            };
        });

        await Patience.WithinAsync(Task.Run(rig.Dispose));

        await Patience.UntilAsync(
            () => rig.Made.All(handler => handler.IsDisposed) && rig.Now.Retiring == 0, "the shards to be disposed");
        blocked.Set();
    }

    [Fact]
    public async Task A_failure_during_construction_disposes_the_shards_created_so_far()
    {
        var made = new List<ScriptedHandler>();
        var options = new ShardedHandlerOptions
        {
            Shards = 3,
            CreateHandler = () =>
            {
                made.Add(made.Count < 2 ? new ScriptedHandler() : throw new InvalidOperationException("no more"));
                return made[^1];
            },
        };

        Assert.Equal("no more", Assert.Throws<InvalidOperationException>(() => new ShardedHandler(options)).Message);
        await Patience.UntilAsync(() => made.TrueForAll(handler => handler.IsDisposed), "those that were made to be disposed");
        Assert.Equal(2, made.Count);
    }

    [Fact]
    public void A_delegate_that_returns_null_is_reported()
    {
        var failure = Assert.Throws<InvalidOperationException>(
            () => new ShardedHandler(new ShardedHandlerOptions { Shards = 1, CreateHandler = () => null! }));

        Assert.Equal("ShardedHandlerOptions.CreateHandler returned null. Return a new handler each time.", failure.Message);
    }
}

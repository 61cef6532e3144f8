using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Shards;

/// <summary>Which shard gets a request.</summary>
public sealed class ShardDistribution
{
    [Fact]
    public async Task Round_robin_gives_every_shard_the_same_number()
    {
        using var rig = new ShardRig(3, options => options.Selection = SelectionStrategy.RoundRobin);
        for (var i = 0; i < 12; i++)
        {
            await rig.SendAsync();
        }

        Assert.Equal([4, 4, 4], rig.Counts);
        Assert.All(rig.Now.Shards, shard => Assert.Equal((4L, 0), (shard.Requests, shard.Outstanding)));
    }

    [Fact]
    public async Task Least_outstanding_gives_no_shard_a_second_request_while_another_has_none()
    {
        using var rig = new ShardRig(3);
        var held = new List<HttpResponseMessage> { await rig.OccupyAsync(), await rig.OccupyAsync(), await rig.OccupyAsync() };
        Assert.Equal([1, 1, 1], rig.Now.Shards.Select(shard => shard.Outstanding));

        held[1].Dispose();
        await rig.OccupyAsync();
        Assert.Equal([1, 1, 1], rig.Now.Shards.Select(shard => shard.Outstanding));
    }

    [Fact]
    public async Task Least_outstanding_takes_turns_among_equals()
    {
        using var rig = new ShardRig(4);
        for (var i = 0; i < 8; i++)
        {
            await rig.SendAsync();
        }

        Assert.Equal([2, 2, 2, 2], rig.Counts);
    }

    [Fact]
    public async Task The_same_key_goes_to_the_same_shard_also_after_it_was_replaced()
    {
        using var rig = new ShardRig(4, options => options.KeyOf = static request => request.RequestUri!.AbsolutePath);
        for (var i = 0; i < 5; i++)
        {
            await rig.SendAsync("/tenant");
        }

        var slot = rig.Now.Shards.Select(shard => shard.Requests).ToList().IndexOf(5);
        Assert.NotEqual(-1, slot);
        rig.Handler.Clear();
        await rig.SendAsync("/tenant");
        Assert.Equal(1, rig.Now.Shards[slot].Requests);
    }

    [Fact]
    public async Task Many_keys_use_every_shard()
    {
        using var rig = new ShardRig(3, options => options.KeyOf = static request => request.RequestUri!.AbsolutePath);
        for (var i = 0; i < 100; i++)
        {
            await rig.SendAsync($"/{i}");
        }

        Assert.All(rig.Counts, count => Assert.InRange(count, 10, 60));
    }

    [Fact]
    public async Task A_request_without_a_key_goes_to_the_shard_with_the_fewest_requests()
    {
        using var rig = new ShardRig(2, options => options.KeyOf = static _ => null);
        using var first = await rig.OccupyAsync();
        using var second = await rig.OccupyAsync();

        Assert.Equal([1, 1], rig.Counts);
    }

    [Fact]
    public async Task Of_two_random_shards_the_one_with_fewer_requests_is_used()
    {
        using var rig = new ShardRig(2, options => options.Selection = SelectionStrategy.PowerOfTwoChoices);
        using var first = await rig.OccupyAsync();
        using var second = await rig.OccupyAsync();

        Assert.Equal([1, 1], rig.Counts);
    }

    [Fact]
    public async Task A_synchronous_request_is_counted_until_its_body_ends()
    {
        using var rig = new ShardRig(1);
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("http://server/"));
        var response = await Task.Run(() => rig.Client.Send(request, HttpCompletionOption.ResponseHeadersRead));
        Assert.Equal(1, rig.Now.Shards[0].Outstanding);

        response.Dispose();
        Assert.Equal(0, rig.Now.Shards[0].Outstanding);
    }

    [Fact]
    public async Task A_request_that_fails_is_not_outstanding()
    {
        using var rig = new ShardRig(1);
        rig.Made[0].Answer = static _ => throw new HttpRequestException("refused");
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("http://server/"));

        await Assert.ThrowsAsync<HttpRequestException>(() => rig.OccupyAsync());
        Assert.Throws<HttpRequestException>(() => rig.Client.Send(request));
        Assert.Equal(0, rig.Now.Shards[0].Outstanding);
    }
}

using System.Data.Common;
using System.Diagnostics;
using Npgsql;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Promise I7 on a real server: all of its processes stop, and the peer is silent.</summary>
public sealed class FrozenServer(OwnServer own) : IClassFixture<OwnServer>
{
    private const int Size = 3;

    private static readonly TimeSpan _rentTimeout = TimeSpan.FromSeconds(1);

    [Theory]
    [MemberData(nameof(Faces.All), MemberType = typeof(Faces))]
    public async Task Who_waits_for_a_connection_hears_within_the_time_to_rent(Face face)
    {
        var server = await own.StartAsync();
        await using var watch = new ServerWatch(server.ConnectionString);
        var options = PoolUser.Options(Size);
        options.RentTimeout = _rentTimeout;
        options.ValidateAfterIdle = TimeSpan.Zero;
        options.ValidateTimeout = TimeSpan.FromMilliseconds(300);
        options.CreateTimeout = TimeSpan.FromMilliseconds(300);
        await using var user = new PoolUser(face, server.ConnectionString, options);
        await user.WarmUpAsync(Size);

        server.Freeze();
        DbException?[] heard;
        TimeSpan took;
        try
        {
            var started = Stopwatch.GetTimestamp();
            heard = await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, 3 * Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));
            took = Stopwatch.GetElapsedTime(started);
        }
        finally
        {
            server.Thaw();
        }

        Assert.All(heard, failure => Assert.IsType<DbPoolException>(failure));
        Assert.InRange(took, TimeSpan.Zero, _rentTimeout + Patience.Slack);
        Assert.Equal(0, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    [Theory]
    [MemberData(nameof(Faces.All), MemberType = typeof(Faces))]
    public async Task Who_has_a_connection_hears_within_the_time_of_the_command_and_its_late_reply_reaches_nobody(Face face)
    {
        var server = await own.StartAsync();
        await using var watch = new ServerWatch(server.ConnectionString);
        await using var user = new PoolUser(face, server.ConnectionString, PoolUser.Options(Size), connect: connection => connection.CommandTimeout = 1);
        await user.WarmUpAsync(Size);

        server.Freeze();
        DbException?[] heard;
        TimeSpan took;
        try
        {
            var started = Stopwatch.GetTimestamp();
            heard = await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));
            took = Stopwatch.GetElapsedTime(started);
        }
        finally
        {
            server.Thaw();
        }

        Assert.All(heard, failure => Assert.IsType<TimeoutException>(Assert.IsType<NpgsqlException>(failure).InnerException));
        Assert.InRange(took, TimeSpan.Zero, TimeSpan.FromSeconds(1) + Patience.Slack);
        Assert.Equal(Size, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }
}

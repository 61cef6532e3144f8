using System.Buffers.Binary;
using System.Data.Common;
using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Microsoft.Data.Sqlite;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;
using Poolhouse.Data;
using Poolhouse.Ldap;
using Poolhouse.Tool.Tests.Advising;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>The tool watches the process of the tests.</summary>
[CollectionDefinition(DisableParallelization = true)]
public sealed class WatchedAlone;

/// <inheritdoc cref="WatchedAlone"/>
[Collection(nameof(WatchedAlone))]
public sealed class Sessions
{
    private const string Secret = "hunter2";

    private static string OwnId => Environment.ProcessId.ToString(CultureInfo.InvariantCulture);

    [Fact]
    public async Task The_first_row_names_the_holders_of_a_pool_that_is_full()
    {
        await using var pool = NewPool("watched", maxSize: 2);
        using var first = Rent(pool, "GET /slow");
        using var second = Rent(pool, "GET /slow");
        var waiting = pool.RentAsync().AsTask();
        using var output = new StringWriter();
        var run = await ToolRun.Of(
            output, CancellationToken.None, "watch", OwnId, "--once", "--wait", "--json", "--interval", "0.1");

        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        using var json = JsonDocument.Parse(run.Output);
        var row = json.RootElement.GetProperty("pools").EnumerateArray()
            .Single(each => string.Equals(each.GetProperty("name").GetString(), "watched", StringComparison.Ordinal));
        Assert.StartsWith("1 wait, oldest ", row.GetProperty("figures").GetString(), StringComparison.Ordinal);
        Assert.Contains("2/2 held, 2 by GET /slow", row.GetProperty("figures").GetString(), StringComparison.Ordinal);
        Assert.StartsWith("saturated-by", row.GetProperty("url").GetString()!.Split('#')[1], StringComparison.Ordinal);
        first.Dispose();
        (await waiting).Dispose();
    }

    [Fact]
    public async Task The_servers_of_a_pool_are_listed()
    {
        using var hosts = new HostsOfSqlite("db1.internal", "db2.internal");
        await using var source = PooledDataSource.Create(
            hosts.All, options: new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1, Name = "database" } });
        await using var directory = new LdapConnectionPool(new LdapPoolOptions
        {
            Servers = { "ldap://dc1.internal", "ldap://dc2.internal:1389" },
            Pool = new ResourcePoolOptions { MaxSize = 1, Name = "directory" },
        });
        var run = await ToolRun.Of("watch", OwnId, "--once", "--wait", "--json", "--interval", "0.1");

        using var json = JsonDocument.Parse(run.Output);
        Assert.Equal(["db1.internal Up", "db2.internal Up"], ServersOf(json, "database"));
        Assert.Equal(["dc1.internal:389 Up", "dc2.internal:1389 Up"], ServersOf(json, "directory"));
    }

    [Fact]
    public async Task Two_watchers_counters_and_a_trace_see_the_same_pool_and_each_may_leave()
    {
        await using var pool = NewPool("shared", maxSize: 1);
        pool.Rent().Dispose();
        var client = new DiagnosticsClient(Environment.ProcessId);
        var (model, other, recorded) = (new WatchModel(), new WatchModel(), new WatchModel());
        using var lasting = await PoolSessions.StartAsync(
            client, model, TimeSpan.FromSeconds(0.2), detail: null, CancellationToken.None);
        using (var counters = client.StartEventPipeSession([CountersOf("Poolhouse")], requestRundown: false))
        using (var trace = client.StartEventPipeSession([Recording.ProviderAt("2")], requestRundown: false))
        using (await PoolSessions.StartAsync(client, other, TimeSpan.FromSeconds(0.1), detail: null, CancellationToken.None))
        {
            var counted = Recording.CopyAsync(counters.EventStream);
            var traced = Recording.CopyAsync(trace.EventStream);
            await UntilAsync(other, 20);
            await counters.StopAsync(CancellationToken.None);
            await trace.StopAsync(CancellationToken.None);
            Assert.Contains(
                TagsOf(await counted), tags => tags.Contains("poolhouse.pool.name=shared", StringComparison.Ordinal));
            recorded = Recording.Read(await traced);
        }

        await UntilAsync(model, model.Pictures + 3);
        Assert.All(
            new[] { model, other, recorded },
            each => Assert.Contains(each.Diagnose(), row => row.Pool is { Name: "shared", Rented: 1 }));
    }

    [Fact]
    public async Task A_recorded_trace_has_no_secret_and_shows_the_worst_moment_of_each_pool_afterwards()
    {
        var bytes = await RecordAsync();
        Assert.All(
            new[] { Encoding.UTF8, Encoding.Unicode },
            encoding => Assert.Equal(-1, bytes.AsSpan().IndexOf(encoding.GetBytes(Secret))));

        using var folder = new TemporaryFolder();
        var file = folder.At("night.nettrace");
        await File.WriteAllBytesAsync(file, bytes);
        var run = await ToolRun.Of("watch", file);
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        Assert.Contains("OUTAGE", run.Output, StringComparison.Ordinal);
        Assert.Contains("System.InvalidOperationException", run.Output, StringComparison.Ordinal);
    }

    // TraceEvent reads the file; what it throws must not be shown, and it must not hang.
    [Fact]
    public async Task A_damaged_trace_is_read_as_far_as_possible()
    {
        var bytes = await RecordAsync();
        using var folder = new TemporaryFolder();
        var file = folder.At("damaged.nettrace");
        var random = new Random(49);
        var rounds = int.Parse(
            Environment.GetEnvironmentVariable("POOLHOUSE_DAMAGED_TRACES") ?? "200", CultureInfo.InvariantCulture);
        for (var round = 0; round < rounds; round++)
        {
            var damaged = (byte[])bytes.Clone();
            for (var change = random.Next(1, 6); change > 0; change--)
            {
                damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
            }

            await File.WriteAllBytesAsync(file, round % 4 == 0 ? damaged[..random.Next(damaged.Length)] : damaged);
            var run = await ToolRun.Of("watch", file).WaitAsync(TimeSpan.FromMinutes(1), TimeProvider.System);
            Assert.True(run.ExitCode is 0 or 2, $"Round {round}: exit code {run.ExitCode}.");
            Assert.DoesNotContain("Exception:", run.Error, StringComparison.Ordinal);
            Assert.DoesNotContain("   at ", run.Error + run.Output, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_damaged_number_does_not_make_the_reader_allocate_gigabytes()
    {
        var bytes = await RecordAsync();

        // The number of an event's fields is before the first of them, a 32-bit integer named "id".
        byte[] first = [9, 0, 0, 0, .. Encoding.Unicode.GetBytes("id\0")];
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(bytes.AsSpan().IndexOf(first) - sizeof(int)), 200_000_000);
        using var folder = new TemporaryFolder();
        var file = folder.At("damaged.nettrace");
        await File.WriteAllBytesAsync(file, bytes);
        var before = GC.GetTotalAllocatedBytes();
        Assert.Equal(2, (await ToolRun.Of("watch", file)).ExitCode);
        Assert.InRange(GC.GetTotalAllocatedBytes() - before, 0, 1_000_000_000);

        // The limit has ended.
        Assert.NotEmpty(new byte[1_000_000_000]);
    }

    [Fact]
    public async Task A_process_that_is_started_again_is_found_within_two_seconds()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The app uses addresses that only Linux has by itself.");
        using var stopping = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        await using var output = new LineWriter();
        Task<ToolRun> run;
        await using (var first = await ZooProcess.StartAsync("pooled-connections"))
        {
            run = ToolRun.Of(output, stopping.Token, "watch", first.Id, "--plain", "--wait", "--interval", "0.2");
            await output.UntilAsync($"({first.Id})");
        }

        await output.UntilAsync("has ended. Waiting until it is started again.");
        await using var second = await ZooProcess.StartAsync("pooled-connections");
        var found = output.UntilAsync($"({second.Id})");

        // The two seconds are ten pictures of another watch, which a busy machine delays as well.
        await using var pictures = new LineWriter();
        var other = ToolRun.Of(pictures, stopping.Token, "watch", second.Id, "--plain", "--wait", "--interval", "0.2");
        for (var picture = 0; picture < 10 && !found.IsCompleted; picture++)
        {
            await pictures.UntilAsync($"({second.Id})");
        }

        Assert.True(found.IsCompleted, "The process is not watched.");
        await stopping.CancelAsync();
        Assert.Equal(("", ""), ((await run).Error, (await other).Error));
    }

    [Fact]
    public async Task Another_process_with_the_same_command_line_is_not_taken_for_the_successor()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The app uses addresses that only Linux has by itself.");
        using var stopping = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        await using var output = new LineWriter();
        await using var first = await ZooProcess.StartAsync("pooled-connections");
        var run = ToolRun.Of(output, stopping.Token, "watch", first.Id, "--plain", "--wait", "--interval", "0.2");
        await output.UntilAsync($"({first.Id})");
        await using var other = await ZooProcess.StartAsync("pooled-connections");
        output.Clear();

        // Of the pictures that follow, the first may have been drawn before the other process was started.
        for (var picture = 0; picture < 4; picture++)
        {
            await output.UntilAsync($"({first.Id})");
        }

        await first.KillAsync();
        await output.UntilAsync("has ended. Waiting until it is started again.");
        await using var successor = await ZooProcess.StartAsync("pooled-connections");
        Assert.Contains(
            $"({successor.Id})", await output.UntilAsync($"({other.Id})", $"({successor.Id})"), StringComparison.Ordinal);
        await stopping.CancelAsync();
        Assert.Equal("", (await run).Error);
    }

    [Fact]
    public void Of_several_successors_the_one_that_was_started_first_is_watched()
    {
        var ended = new DateTime(2026, 11, 30, 3, 0, 0, DateTimeKind.Utc);
        Assert.Equal(
            [7, 5],
            Targets.StartedSince(
                ended, [(4, ended.AddSeconds(-1)), (5, ended.AddSeconds(2)), (6, null), (7, ended.AddSeconds(1))]));
    }

    [Fact]
    public async Task A_version_of_Poolhouse_that_reports_too_little_is_named()
    {
        await using var old = await ZooProcess.StartAsync("old-poolhouse");
        var run = await ToolRun.Of("watch", old.Id, "--once", "--wait");
        Assert.Equal(
            (2, $"Process Zoo ({old.Id}) has Poolhouse 0.1.0, which is too old for this command. Update Poolhouse there, or " +
                "use the version of Poolhouse.Tool that belongs to it.\n"),
            (run.ExitCode, run.Error));
    }

    [Fact]
    public async Task A_process_without_a_pool_that_is_open_is_not_listed()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The apps use addresses that only Linux has by itself.");
        await using var pooled = await ZooProcess.StartAsync("pooled-connections");
        await using var closed = await ZooProcess.StartAsync("closed-pool");
        var run = await ToolRun.Of("ps");

        // On a busy machine, a process may answer too late to be listed.
        while (!run.Output.Contains($"{pooled.Id}  Zoo ", StringComparison.Ordinal))
        {
            TestContext.Current.CancellationToken.ThrowIfCancellationRequested();
            run = await ToolRun.Of("ps");
        }

        Assert.DoesNotContain($"{closed.Id}  Zoo ", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_cannot_be_watched_is_explained()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The program is one of Linux.");
        using var sleeping = Process.Start("sleep", ["60"]);
        try
        {
            var id = sleeping.Id.ToString(CultureInfo.InvariantCulture);
            Assert.Equal(
                $"Process {id} (sleep) is not a .NET process, or it was compiled to native code without EventSourceSupport.\n",
                (await ToolRun.Of("watch", id, "--once")).Error);
        }
        finally
        {
            sleeping.Kill();
        }

        await sleeping.WaitForExitAsync();
        var gone = await ToolRun.Of("watch", sleeping.Id.ToString(CultureInfo.InvariantCulture));
        Assert.Equal(2, gone.ExitCode);
        Assert.StartsWith($"There is no process {sleeping.Id}.", gone.Error, StringComparison.Ordinal);
        Assert.StartsWith(
            "'nothing' is neither a process id nor a file.", (await ToolRun.Of("watch", "nothing")).Error,
            StringComparison.Ordinal);
        Assert.StartsWith(
            "--interval 0.01 is outside 0.1 to 3,600.", (await ToolRun.Of("watch", "1", "--interval", "0.01")).Error,
            StringComparison.Ordinal);
    }

    /// <summary>Records a pool that cannot create items, with secrets wherever an application has them.</summary>
    private static async Task<byte[]> RecordAsync()
    {
        await using var pool = ResourcePool.Create<string>(
            _ => throw new InvalidOperationException($"Password={Secret}"),
            new ResourcePoolOptions { MaxSize = 1, Name = "broken", OutageTimeout = TimeSpan.Zero });
        await using var keyed = new KeyedResourcePool<string, string>(
            _ => new KeyedPolicy(),
            new KeyedResourcePoolOptions<string>
            {
                MaxSize = 1,
                Pool = new ResourcePoolOptions { MaxSize = 1, Name = "keyed" },
            });
        using var lease = await keyed.RentAsync($"user={Secret}");
        await using var source = PooledDataSource.Create(
            SqliteFactory.Instance, $"Data Source=file:{Secret}?mode=memory;Password={Secret}",
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1, OutageTimeout = TimeSpan.Zero } });
        using var hosts = new HostsOfSqlite($"file:{Secret}?mode=memory", $"db2.internal;Password={Secret}");
        await using var replicated = PooledDataSource.Create(hosts.All);
        var client = new DiagnosticsClient(Environment.ProcessId);
        using var session = client.StartEventPipeSession([Recording.ProviderAt("0.1")], requestRundown: false);
        var copying = Recording.CopyAsync(session.EventStream);
        await Assert.ThrowsAnyAsync<Exception>(() => pool.RentAsync().AsTask());
        await Assert.ThrowsAnyAsync<Exception>(() => source.OpenConnectionAsync().AsTask());
        using var model = PoolListenerOf(client, out var pictures);
        await UntilAsync(pictures, 3);
        await session.StopAsync(CancellationToken.None);
        return await copying;
    }

    private static IEnumerable<string> ServersOf(JsonDocument json, string pool) =>
        from row in json.RootElement.GetProperty("pools").EnumerateArray()
        where string.Equals(row.GetProperty("name").GetString(), pool, StringComparison.Ordinal)
        from server in row.GetProperty("servers").EnumerateArray()
        select $"{server.GetProperty("name").GetString()} {server.GetProperty("health").GetString()}";

    /// <summary>What dotnet-counters asks for.</summary>
    private static EventPipeProvider CountersOf(string meter) => new(
        "System.Diagnostics.Metrics", EventLevel.Informational, keywords: 2, new Dictionary<string, string>
        {
            ["SessionId"] = "SHARED",
            ["ClientId"] = "poolhouse-tests",
            ["Metrics"] = meter,
            ["RefreshInterval"] = "0.5",
            ["MaxTimeSeries"] = "1000",
            ["MaxHistograms"] = "10",
        });

    private static List<string> TagsOf(byte[] bytes)
    {
        var tags = new List<string>();
        using var stream = new MemoryStream(bytes);
        using var source = new EventPipeEventSource(stream);
        source.Dynamic.AddCallbackForProviderEvent(
            "System.Diagnostics.Metrics", eventName: null, each => tags.Add(each.PayloadByName("tags") as string ?? ""));
        source.Process();
        return tags;
    }

    private static EventSession PoolListenerOf(DiagnosticsClient client, out WatchModel model)
    {
        model = new WatchModel();
#pragma warning disable VSTHRD002 // It completes without this thread.
        return PoolSessions.StartAsync(client, model, TimeSpan.FromSeconds(0.1), detail: null, CancellationToken.None)
            .GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }

    /// <summary>Waits until a model has so many pictures.</summary>
    internal static async Task UntilAsync(WatchModel model, int pictures)
    {
        for (var changed = model.WhenChangedAsync(); model.Pictures < pictures; changed = model.WhenChangedAsync())
        {
            await changed.WaitAsync(TimeSpan.FromMinutes(1), TimeProvider.System);
        }
    }

    private static ResourcePool<string> NewPool(string name, int maxSize) => ResourcePool.Create(
        _ => new ValueTask<string>(Secret), new ResourcePoolOptions { MaxSize = maxSize, Name = name, LabelLeases = true });

    private static Lease<string> Rent(ResourcePool<string> pool, string label)
    {
        using (LeaseLabel.Use(label))
        {
            return pool.Rent();
        }
    }

    private sealed class KeyedPolicy : ResourcePolicy<string>
    {
        public override ValueTask<string> CreateAsync(CancellationToken cancellationToken) => new(Secret);
    }

    /// <summary>Data sources that are never opened.</summary>
    private sealed class HostsOfSqlite(params string[] files) : IDisposable
    {
        public IReadOnlyList<DbDataSource> All { get; } =
            [.. files.Select(file => SqliteFactory.Instance.CreateDataSource($"Data Source={file};Pooling=False"))];

        public void Dispose()
        {
            foreach (var source in All)
            {
                source.Dispose();
            }
        }
    }
}

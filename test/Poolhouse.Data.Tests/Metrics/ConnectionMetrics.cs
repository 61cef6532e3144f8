using System.Diagnostics.Metrics;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Metrics;

/// <summary>The instruments that OpenTelemetry's conventions define for connection pools, on both kinds of pool.</summary>
public sealed class ConnectionMetrics : IDisposable
{
    private readonly Meter _meter = new("ConnectionMetrics");
    private readonly ManualTimeProvider _clock = new();
    private readonly FakeDb _db = new();
    private readonly Collector _collector;

    public ConnectionMetrics() => _collector = new Collector(_meter);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public void All_instruments_exist_with_the_units_of_the_conventions()
    {
        using var measured = Make(leases: true);

        Assert.Equal(
            [
                "db.client.connection.count {connection} ObservableUpDownCounter`1",
                "db.client.connection.create_time s Histogram`1",
                "db.client.connection.idle.max {connection} ObservableUpDownCounter`1",
                "db.client.connection.idle.min {connection} ObservableUpDownCounter`1",
                "db.client.connection.max {connection} ObservableUpDownCounter`1",
                "db.client.connection.pending_requests {request} ObservableUpDownCounter`1",
                "db.client.connection.timeouts {timeout} ObservableCounter`1",
                "db.client.connection.use_time s Histogram`1",
                "db.client.connection.wait_time s Histogram`1",
                "poolhouse.db.connection.closing.count {connection} ObservableUpDownCounter`1",
            ],
            _collector.Instruments.Where(each => each.Name.Contains("db.", StringComparison.Ordinal))
                .Select(each => $"{each.Name} {each.Unit} {each.GetType().Name}").Order(StringComparer.Ordinal));
        Assert.Contains(_collector.Instruments, each => each.Name.Equals("poolhouse.pool.item.count", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Counts_follow_the_connections_and_return_to_zero(bool leases)
    {
        using var measured = Make(leases, maxSize: 2);
        Assert.Equal((0, 0), _collector.ReadCounts("orders"));

        var one = await measured.RentAsync(Cancel);
        var two = await measured.RentAsync(Cancel);
        Assert.Equal((0, 2), _collector.ReadCounts("orders"));
        one.Dispose();
        Assert.Equal((1, 1), _collector.ReadCounts("orders"));
        two.Dispose();
        Assert.Equal((2, 0), _collector.ReadCounts("orders"));
        measured.Trim();
        Assert.Equal((0, 0), _collector.ReadCounts("orders"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Requests_are_pending_while_they_wait(bool leases)
    {
        using var measured = Make(leases);
        var held = await measured.RentAsync(Cancel);
        var waiting = measured.RentAsync(Cancel).AsTask();
        Assert.Equal(1, _collector.ReadOne("db.client.connection.pending_requests"));

        held.Dispose();
        (await waiting).Dispose();
        Assert.Equal(0, _collector.ReadOne("db.client.connection.pending_requests"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Limits_show_the_current_options(bool leases)
    {
        using var measured = Make(leases, maxSize: 3, minIdle: 1);
        Assert.Equal((3, 3, 1), ReadLimits());

        measured.Resize(5);
        Assert.Equal((5, 5, 1), ReadLimits());
        (await measured.RentAsync(Cancel)).Dispose();

        measured.Reconfigure(Options("orders", maxSize: 7, minIdle: 4));
        Assert.Equal((7, 7, 4), ReadLimits());
        Assert.Throws<ArgumentException>(() => measured.Reconfigure(Options("orders", maxSize: 7, minIdle: 8)));
        Assert.Equal((7, 7, 4), ReadLimits());

        (double Max, double IdleMax, double IdleMin) ReadLimits() => (
            _collector.ReadOne("db.client.connection.max"),
            _collector.ReadOne("db.client.connection.idle.max"),
            _collector.ReadOne("db.client.connection.idle.min"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Only_timed_out_waits_count_as_timeouts(bool leases)
    {
        using var measured = Make(leases);
        using var cancel = new CancellationTokenSource();
        using var held = await measured.RentAsync(Cancel);
        var cancelled = measured.RentAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        Assert.Equal(0, _collector.ReadOne("db.client.connection.timeouts"));

        var late = measured.RentAsync(Cancel).AsTask();
        _clock.Advance(TimeSpan.FromMinutes(1));
        await Assert.ThrowsAsync<DbPoolException>(() => late);
        Assert.Equal(1, _collector.ReadOne("db.client.connection.timeouts"));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task The_wait_time_covers_every_connection_also_without_a_wait(bool leases, bool synchronous)
    {
        using var measured = Make(leases);
        (await measured.RentAsync(Cancel)).Dispose();
        var held = await measured.BeginRentAsync(synchronous);
        Assert.Equal([0, 0], _collector.Times("db.client.connection.wait_time"));

        var waiting = measured.BeginRentAsync(synchronous);
        measured.AwaitQueue();
        _clock.Advance(TimeSpan.FromSeconds(3));
        held.Dispose();
        (await waiting).Dispose();
        Assert.Equal([0, 0, 3], _collector.Times("db.client.connection.wait_time"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_failed_rent_records_no_wait_time(bool leases)
    {
        using var measured = Make(leases);
        using var held = await measured.RentAsync(Cancel);
        var late = measured.RentAsync(Cancel).AsTask();
        _clock.Advance(TimeSpan.FromMinutes(1));
        await Assert.ThrowsAsync<DbPoolException>(() => late);

        Assert.Single(_collector.Times("db.client.connection.wait_time"));
    }

    [Fact]
    public async Task A_successful_TryRent_records_a_wait_time()
    {
        await using var pool = new DbConnectionPool<FakeConnection>(_db, Options("orders", 1, 0));
        Assert.False(pool.TryRent(out _));
        (await pool.RentAsync(Cancel)).Dispose();
        Assert.True(pool.TryRent(out var lease));
        lease.Dispose();

        Assert.Equal([0, 0], _collector.Times("db.client.connection.wait_time"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Creating_and_using_are_timed(bool leases)
    {
        _db.Before["connection.Open"] = () => _clock.Advance(TimeSpan.FromSeconds(2));
        using var measured = Make(leases);
        var held = await measured.RentAsync(Cancel);
        _clock.Advance(TimeSpan.FromSeconds(4));
        held.Dispose();

        // The pool hands the connection over before it records the duration.
        Assert.True(
            SpinWait.SpinUntil(() => _collector.Times("db.client.connection.create_time").Count > 0, TimeSpan.FromMinutes(1)));
        Assert.Equal([2], _collector.Times("db.client.connection.create_time"));
        Assert.Equal([4], _collector.Times("db.client.connection.use_time"));
        Assert.Equal([4], _collector.Times("poolhouse.pool.use_time"));
    }

    // The rule: the instrument shows exactly what the limit on sessions that cannot be closed counts.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_close_is_counted_from_its_begin_to_its_end_although_the_pool_abandoned_it(bool leases)
    {
        using var end = new ManualResetEventSlim();
        _db.Before["connection.Close"] = end.Wait;
        using var measured = Make(leases);
        (await measured.RentAsync(Cancel)).Dispose();
        Assert.Equal(0, _collector.ReadOne("poolhouse.db.connection.closing.count"));

        measured.Trim();
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                _clock.Advance(TimeSpan.FromSeconds(1));
                return measured.Statistics is { Live: 0, DestroyFailures: 1 };
            },
            TimeSpan.FromMinutes(1)));
        Assert.Equal(1, _collector.ReadOne("poolhouse.db.connection.closing.count"));

        end.Set();
        Assert.True(
            SpinWait.SpinUntil(() => _collector.ReadOne("poolhouse.db.connection.closing.count") == 0, TimeSpan.FromMinutes(1)));
    }

    [Theory]
    [InlineData("fake", "fake/first")]
    [InlineData("tcp://db.example:5432", "db.example:5432/first")]
    [InlineData("tcp:db.example,1433", "db.example:1433/first")]
    [InlineData("tcp://[::1]:5432", "[::1]:5432/first")]
    [InlineData("db://anna:geheim@db.example:1/?token=abc", "db.example:1//first")]
    public void A_pool_without_a_name_is_named_after_its_server(string server, string expected)
    {
        _db.Server = server;
        using var measured = Make(leases: true, name: null);

        Assert.Equal(["db.client.connection.pool.name=" + expected], _collector.Read("db.client.connection.max").Keys);
    }

    [Theory]
    [InlineData("")]
    [InlineData("Host=h;Password=geheim")]
    [InlineData("h Password=geheim")]
    public void A_pool_whose_server_is_unknown_is_named_after_its_type(string server)
    {
        _db.Server = server;
        using var measured = Make(leases: true, name: null);

        var tags = Assert.Single(_collector.Read("db.client.connection.max").Keys);
        Assert.Contains(nameof(FakeConnection), tags, StringComparison.Ordinal);
        Assert.DoesNotContain("geheim", tags, StringComparison.Ordinal);
    }

    [Fact]
    public void Pools_without_a_name_on_one_server_are_reported_together()
    {
        using var one = Make(leases: true, maxSize: 2, name: null);
        using var other = Make(leases: false, maxSize: 3, name: null);

        Assert.Equal(5, _collector.ReadOne("db.client.connection.max"));
        Assert.Equal((0, 0), _collector.ReadCounts("fake/first"));
    }

    [Fact]
    public void Several_hosts_are_named_together()
    {
        using var first = new FakeDb { Server = "a:1" };
        using var second = new FakeDb { Server = "b:2" };
        using var source = PooledDataSource.Create([first, second], options: Options(null, 2, 0));

        Assert.Equal(["db.client.connection.pool.name=a:1/first;b:2/first"], _collector.Read("db.client.connection.max").Keys);
    }

    [Fact]
    public void Connections_that_are_not_pooled_are_not_reported()
    {
        var options = new DbPoolOptions();
        options.Pool.Meter = _meter;
        using var factory = new PooledProviderFactory(Microsoft.Data.Sqlite.SqliteFactory.Instance, options);
        factory.CreateDataSource("Data Source=:memory:;Pooling=false");
        Assert.Empty(_collector.Read("db.client.connection.max"));

        factory.CreateDataSource("Data Source=:memory:");
        Assert.Equal(["db.client.connection.pool.name=:memory:/main"], _collector.Read("db.client.connection.max").Keys);
    }

    [Fact]
    public void A_disposed_pool_is_no_longer_reported()
    {
        var measured = Make(leases: false);
        Assert.NotEmpty(_collector.Read("db.client.connection.max"));
        measured.Dispose();
        Assert.Empty(_collector.Read("db.client.connection.max"));
    }

    [Fact]
    public void A_meter_of_each_package_is_requested_from_the_factory()
    {
        using var factory = new NotingMeterFactory();
        var options = new DbPoolOptions();
        options.Pool.MeterFactory = factory;
        using var source = PooledDataSource.Create(_db, options);

        Assert.Equal(["Poolhouse", "Poolhouse.Data"], factory.Names.Order(StringComparer.Ordinal));
    }

    public void Dispose()
    {
        _collector.Dispose();
        _meter.Dispose();
        _db.Dispose();
    }

    private MeasuredPool Make(bool leases, int maxSize = 1, int minIdle = 0, string? name = "orders") =>
        new(leases, _db, Options(name, maxSize, minIdle));

    private DbPoolOptions Options(string? name, int maxSize, int minIdle)
    {
        var options = new DbPoolOptions { Reset = SessionReset.None, ValidationQuery = null };
        options.Pool =
            new ResourcePoolOptions { MaxSize = maxSize, MinIdle = minIdle, Name = name, Meter = _meter, TimeProvider = _clock };
        return options;
    }

    private sealed class NotingMeterFactory : IMeterFactory
    {
        private readonly List<Meter> _meters = [];

        public IEnumerable<string> Names => _meters.Select(meter => meter.Name);

        public Meter Create(MeterOptions options)
        {
            var meter = new Meter(options);
            _meters.Add(meter);
            return meter;
        }

        public void Dispose() => _meters.ForEach(static meter => meter.Dispose());
    }
}

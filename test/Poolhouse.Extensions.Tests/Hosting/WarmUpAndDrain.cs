using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Poolhouse.Testing;

namespace Poolhouse.Extensions.Tests.Hosting;

public sealed class WarmUpAndDrain
{
    /// <summary>Far above every expected time, also on a busy machine.</summary>
    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(40);

    private readonly Apps _apps = new() { Log = new LogRecorder { Lowest = LogLevel.Debug } };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(WarmUpMode.BeforeStart)]
    [InlineData(WarmUpMode.OrFailStart)]
    public async Task The_services_of_the_host_start_after_the_pools_are_warm(WarmUpMode mode)
    {
        var probe = new StartProbe();
        using var host = _apps.Build(services =>
        {
            services.AddHostedService(provider => probe.With(provider));
            services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "main", options => options.MaxSize = 3)
                .WarmUp(3, mode);
        });

        await host.StartAsync(Token);

        Assert.Equal(3, probe.IdleAtStart);
        Assert.StartsWith("Pool 'main' created 3 items in ", Assert.Single(_apps.Log.Of(1010)).Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_background_warm_up_does_not_delay_the_start()
    {
        var opening = new TaskCompletionSource<Link>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var host = _apps.Build(services => services
            .AddResourcePool<Link>((_, _) => new ValueTask<Link>(opening.Task), "main", options => options.MaxSize = 1)
            .WarmUp(1));

        await host.StartAsync(Token);
        opening.SetResult(new Link());
        await (await host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main").RentAsync(Token)).DisposeAsync();
        await host.StopAsync(Token);
    }

    [Fact]
    public async Task A_creation_that_blocks_in_a_background_warm_up_does_not_delay_the_start()
    {
        using var created = new ManualResetEventSlim();
        using var host = _apps.Build(services => services
            .AddObjectPool(
                _ =>
                {
                    created.Wait(_limit);
                    return new Link();
                },
                name: "objects")
            .WarmUp(2));

        await Task.Run(() => host.StartAsync(Token), Token).WaitAsync(_limit, Token);
        Assert.Empty(_apps.Log.Of(1010));
        created.Set();
        await _apps.Log.WaitForAsync(1010, 1, Token).WaitAsync(_limit, Token);

        Assert.Equal(2, host.Services.GetRequiredKeyedService<TieredObjectPool<Link>>("objects").GetStatistics().Created);
        await host.StopAsync(Token);
    }

    [Fact]
    public async Task A_creation_that_blocks_prevents_the_start_when_the_timeout_has_elapsed()
    {
        using var created = new ManualResetEventSlim();
        var creating = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var host = _apps.Build(services => services
            .AddObjectPool(
                _ =>
                {
                    creating.TrySetResult();
                    created.Wait(_limit);
                    return new Link();
                },
                name: "objects")
            .WarmUp(2, WarmUpMode.OrFailStart, TimeSpan.FromSeconds(5)));
        var pool = host.Services.GetRequiredKeyedService<TieredObjectPool<Link>>("objects");

        var start = Task.Run(() => host.StartAsync(Token), Token);
        await creating.Task.WaitAsync(_limit, Token);
        _apps.Time.Advance(TimeSpan.FromSeconds(5));
        await Assert.ThrowsAsync<TimeoutException>(() => start.WaitAsync(_limit, Token));
        Assert.True(start.IsFaulted, "The start did not end within the limit of this test.");

        // The warm-up is over: the item that was being created is kept.
        created.Set();
        await Patience.UntilAsync(() => pool.GetStatistics().Created == 1, "the creation ends");
    }

    [Fact]
    public async Task A_background_warm_up_that_throws_does_not_prevent_the_drains()
    {
        using var host = _apps.Build(services => PoolServices.Add(services, "main", "AddSizeless", new OwnKind(), null)
            .WarmUp(1)
            .DrainOnShutdown());
        await host.StartAsync(Token);

        await host.StopAsync(Token);

        Assert.Single(_apps.Log.Of(1400));
    }

    [Fact]
    public async Task A_callback_that_throws_at_the_timeout_of_a_warm_up_does_not_end_the_process()
    {
        var warming = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var host = _apps.Build(services => PoolServices.Add(services, "main", "AddOwn", new OwnKind(HangAsync), null)
            .WarmUp(1, WarmUpMode.OrFailStart, TimeSpan.FromSeconds(5)));
        var start = Task.Run(() => host.StartAsync(Token), Token);
        await warming.Task.WaitAsync(_limit, Token);

        _apps.Time.Advance(TimeSpan.FromSeconds(5));

        await Assert.ThrowsAsync<TimeoutException>(() => start.WaitAsync(_limit, Token));
        Assert.True(start.IsFaulted, "The start did not end within the limit of this test.");

        async Task HangAsync(CancellationToken token)
        {
            var cancelled = new TaskCompletionSource();
            token.Register(() => cancelled.TrySetCanceled(token));
            token.Register(static () => throw new InvalidOperationException("a pool's callback"));
            warming.SetResult();
            await cancelled.Task;
        }
    }

    [Theory]
    [InlineData(WarmUpMode.BeforeStart)]
    [InlineData(WarmUpMode.OrFailStart)]
    public async Task A_warm_up_that_cannot_be_logged_is_no_failure(WarmUpMode mode)
    {
        using var logging = new ThrowingProvider(1010, 1012);
        using var host = _apps.Build(services => services
            .AddLogging(log => log.AddProvider(logging))
            .AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "main", options => options.MaxSize = 1)
            .WarmUp(1, mode));

        await host.StartAsync(Token);

        Assert.Single(_apps.Log.Of(1010));
        Assert.Empty(_apps.Log.Of(1012));
    }

    [Theory]
    [InlineData(1, 1012)]
    [InlineData(2, 1013)]
    public async Task A_failed_warm_up_that_cannot_be_logged_does_not_prevent_the_start(int count, int logged)
    {
        using var logging = new ThrowingProvider(1012, 1013);
        using var host = _apps.Build(services => services
            .AddLogging(log => log.AddProvider(logging))
            .AddResourcePool<Link>((_, _) => throw new HttpRequestException("down"), "main", options => options.MaxSize = 1)
            .WarmUp(count, WarmUpMode.BeforeStart));

        await host.StartAsync(Token);

        Assert.Single(_apps.Log.Of(logged));
    }

    [Theory]
    [InlineData(1400)]
    [InlineData(1401)]
    public async Task A_drain_that_cannot_be_logged_does_not_fail_the_shutdown(int entry)
    {
        using var logging = new ThrowingProvider(entry);
        using var host = _apps.Build(services => services
            .AddLogging(log => log.AddProvider(logging))
            .AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "main", options => options.MaxSize = 1)
            .DrainOnShutdown(TimeSpan.FromSeconds(3)));
        await host.StartAsync(Token);
        var lease = await host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main").RentAsync(Token);
        if (entry == 1400)
        {
            lease.Dispose();
        }

        var armed = _apps.Time.ArmedTimers;
        var stop = host.StopAsync(Token);
        if (entry == 1401)
        {
            await _apps.Time.WaitUntilArmedAsync(armed + 1, Token);
            _apps.Time.Advance(TimeSpan.FromSeconds(3));
        }

        await stop;
        Assert.Single(_apps.Log.Of(entry));
        lease.Dispose();
    }

    [Fact]
    public async Task A_warm_up_that_takes_too_long_is_logged_and_prevents_the_start_only_if_configured_to()
    {
        using var patient = Hanging(WarmUpMode.BeforeStart);
        var start = patient.StartAsync(Token);
        await _apps.Time.WaitUntilArmedAsync(1, Token);
        _apps.Time.Advance(TimeSpan.FromSeconds(5));
        await start;
        Assert.Contains("The timeout elapsed.", Assert.Single(_apps.Log.Of(1012)).Text, StringComparison.Ordinal);

        using var strict = Hanging(WarmUpMode.OrFailStart);
        start = strict.StartAsync(Token);
        await _apps.Time.WaitUntilArmedAsync(1, Token);
        _apps.Time.Advance(TimeSpan.FromSeconds(5));
        var failure = await Assert.ThrowsAsync<TimeoutException>(() => start);
        Assert.Equal("Pool 'main' did not create 1 items within 5 s, and is set to fail the start.", failure.Message);
    }

    [Fact]
    public async Task A_warm_up_that_exceeds_the_pool_is_named_as_such_and_prevents_the_start_only_if_configured_to()
    {
        using var patient = _apps.Build(services =>
        {
            services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "links", options => options.MaxSize = 2)
                .WarmUp(4, WarmUpMode.BeforeStart);
            services.AddObjectPool<Link>("objects", options => options.MaxRetained = 10).WarmUp(5000, WarmUpMode.BeforeStart);
        });
        await patient.StartAsync(Token);

        Assert.Equal(
            [
                "The warm-up of pool 'links' is too large: 4, at most 2.",
                "The warm-up of pool 'objects' is too large: 5000, at most 10.",
            ],
            _apps.Log.Of(1013).Select(entry => entry.Text).Order(StringComparer.Ordinal));
        Assert.Empty(_apps.Log.Of(1012));
        Assert.Equal(
            (2, 10L),
            (patient.Services.GetRequiredKeyedService<ResourcePool<Link>>("links").GetStatistics().Idle,
                patient.Services.GetRequiredKeyedService<TieredObjectPool<Link>>("objects").GetStatistics().Created));

        using var strict = _apps.Build(services => services
            .AddObjectPool<Link>("objects", options => options.MaxRetained = 10).WarmUp(11, WarmUpMode.OrFailStart));
        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => strict.StartAsync(Token));
        Assert.Equal("The warm-up of pool 'objects' is too large: 11, at most 10.", failure.Message);
    }

    [Fact]
    public async Task A_drain_that_waits_for_a_creation_reports_it()
    {
        var opening = new TaskCompletionSource<Link>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var host = _apps.Build(services => services
            .AddResourcePool<Link>(
                (_, _) => new ValueTask<Link>(opening.Task), "main", options => (options.MaxSize, options.MinIdle) = (1, 1))
            .DrainOnShutdown(TimeSpan.FromSeconds(3)));
        await host.StartAsync(Token);

        // The pool arms its timer when the creation begins, in the background; another one samples its statistics.
        await _apps.Time.WaitUntilArmedAsync(2, Token);
        var armed = _apps.Time.ArmedTimers;

        var stop = host.StopAsync(Token);
        await _apps.Time.WaitUntilArmedAsync(armed + 1, Token);
        _apps.Time.Advance(TimeSpan.FromSeconds(3));
        await stop;

        Assert.Equal(
            "Pool 'main' was not drained within 3 s: items still leased: 0, being created: 1, oldest lease 0 s. Oldest leases: " +
            "none.", Assert.Single(_apps.Log.Of(1401)).Text);
        opening.SetResult(new Link());
    }

    [Fact]
    public async Task A_host_that_stops_waits_for_leases_that_its_services_still_hold()
    {
        using var host = await StartAsync(drain: null);
        var pool = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");
        var lease = await pool.RentAsync(Token);

        var stop = host.StopAsync(Token);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
        {
            // The drain begins in the background; until then rents succeed.
            while (true)
            {
                (await pool.RentAsync(TimeSpan.FromSeconds(1), Token)).Dispose();
                await Task.Yield();
            }
        });
        Assert.False(stop.IsCompleted);
        lease.Dispose();
        await stop;

        Assert.Single(_apps.Log.Of(1400));
    }

    [Fact]
    public async Task A_host_whose_start_has_failed_drains_the_pools_that_were_created()
    {
        using var host = _apps.Build(services =>
        {
            services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "bad", options => options.MaxSize = 0)
                .DrainOnShutdown();
            services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "good", options => options.MaxSize = 1)
                .DrainOnShutdown();
        });
        await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));

        await host.StopAsync(Token);

        Assert.StartsWith("Pool 'good' ", Assert.Single(_apps.Log.Of(1400)).Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_host_that_has_created_no_pool_creates_none_when_it_stops()
    {
        using var host = _apps.Build(services =>
        {
            services.AddHostedService<FailingStart>();
            services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "main", options => options.MaxSize = 1)
                .DrainOnShutdown();
        });
        await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync(Token));

        await host.StopAsync(Token);

        Assert.Empty(_apps.Log.Entries);
    }

    [Fact]
    public async Task Leases_that_are_not_returned_in_time_are_reported_and_do_not_stop_the_shutdown()
    {
        using var host = await StartAsync(TimeSpan.FromSeconds(3));
        var pool = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");
        using var label = LeaseLabel.Use("/orders");
        using var lease = await pool.RentAsync(Token);
        var armed = _apps.Time.ArmedTimers;

        var stop = host.StopAsync(Token);
        await _apps.Time.WaitUntilArmedAsync(armed + 1, Token);
        _apps.Time.Advance(TimeSpan.FromSeconds(3));
        await stop;

        var entry = Assert.Single(_apps.Log.Of(1401));
        Assert.Equal(LogLevel.Warning, entry.Level);
        Assert.Equal(
            "Pool 'main' was not drained within 3 s: items still leased: 1, being created: 0, oldest lease 3 s. Oldest leases: " +
            "item 1 for 3 s by '/orders'.", entry.Text);
        Assert.True(lease.IsActive);
    }

    private async Task<IHost> StartAsync(TimeSpan? drain)
    {
        var host = _apps.Build(services => services
            .AddResourcePool<Link>(
                (_, token) => Link.OpenAsync(token), "main",
                options => (options.MaxSize, options.LabelLeases, options.TrackLeases) = (2, true, false))
                    .DrainOnShutdown(drain));
        await host.StartAsync(Token);
        return host;
    }

    private IHost Hanging(WarmUpMode mode) => _apps.Build(services => services
        .AddResourcePool<Link>(async (_, token) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, token);
            return new Link();
        }, "main", options => options.MaxSize = 1)
        .WarmUp(1, mode, TimeSpan.FromSeconds(5)));

    /// <summary>A kind of pool whose warm-up fails before it begins, unless another one is given.</summary>
    private sealed class OwnKind(Func<CancellationToken, Task>? warmUp = null)
        : PoolKind<TieredObjectPool<Link>, ObjectPoolOptions>
    {
        public override Type ItemType => typeof(Link);

        public override SettingsMap<ObjectPoolOptions> Settings { get; } = new();

        public override void Complete(ObjectPoolOptions options, PoolContext context)
        {
        }

        public override TieredObjectPool<Link> Create(IServiceProvider services, ObjectPoolOptions options) =>
            new(() => new Link());

        public override int? GetMaxWarmUp(TieredObjectPool<Link> pool, ObjectPoolOptions options) =>
            warmUp is null ? throw new InvalidOperationException("The size is not known.") : null;

        public override Task WarmUpAsync(TieredObjectPool<Link> pool, int count, CancellationToken cancellationToken) =>
            warmUp!(cancellationToken);

        public override Task DrainAsync(TieredObjectPool<Link> pool, CancellationToken cancellationToken) => Task.CompletedTask;
    }

    private sealed class FailingStart : IHostedLifecycleService
    {
        public Task StartingAsync(CancellationToken cancellationToken) => throw new InvalidOperationException("No start.");

        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }

    private sealed class StartProbe : IHostedService
    {
        private IServiceProvider? _services;

        public int IdleAtStart { get; private set; }

        public StartProbe With(IServiceProvider services)
        {
            _services = services;
            return this;
        }

        public Task StartAsync(CancellationToken cancellationToken)
        {
            IdleAtStart = _services!.GetRequiredKeyedService<ResourcePool<Link>>("main").GetStatistics().Idle;
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}

using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Poolhouse.Ldap;
using Poolhouse.Testing;

namespace Poolhouse.Extensions.Tests.Configuration;

public sealed class Binding
{
    private readonly Apps _apps = new();

    [Fact]
    public void Settings_come_from_the_section_of_the_pools_name()
    {
        _apps.Settings["Poolhouse:main:MaxSize"] = "7";
        _apps.Settings["Poolhouse:main:maxwaiters"] = "none";
        _apps.Settings["Poolhouse:main:RentTimeout"] = "0:00:02.5";
        _apps.Settings["Poolhouse:main:IdleTimeout"] = "infinite";
        _apps.Settings["Poolhouse:main:MaxLifetime"] = "1.00:00:00";
        _apps.Settings["Poolhouse:main:IdleOrder"] = "fifo";
        _apps.Settings["Poolhouse:main:TrackLeases"] = "true";
        _apps.Settings["Poolhouse:main:Overload:Target"] = "00:00:00.100";
        using var host = Build(out var bound);

        _ = host.Services.GetRequiredKeyedService<ResourcePool<Link>>("main");

        var options = bound();
        Assert.Equal(7, options.MaxSize);
        Assert.Equal(int.MaxValue, options.MaxWaiters);
        Assert.Equal(TimeSpan.FromSeconds(2.5), options.RentTimeout);
        Assert.Equal(Timeout.InfiniteTimeSpan, options.IdleTimeout);
        Assert.Equal(TimeSpan.FromDays(1), options.MaxLifetime);
        Assert.Equal(IdleOrder.Fifo, options.IdleOrder);
        Assert.True(options.TrackLeases);
        Assert.Equal(TimeSpan.FromMilliseconds(100), options.Overload!.Target);
    }

    [Theory]
    [InlineData("Reads, Add", LdapRetries.Reads | LdapRetries.Add)]
    [InlineData("search", LdapRetries.Search)]
    public void Several_flags_are_separated_by_commas(string text, LdapRetries expected)
    {
        _apps.Settings["Poolhouse:directory:Retries"] = text;
        var bound = LdapRetries.None;
        using var host = _apps.Build(services => services
            .AddLdapPool(static _ => "Server=127.0.0.1;User Name=cn=app;Password=secret", "directory")
            .BindConfiguration()
            .Configure(options => bound = options.Retries));

        _ = host.Services.GetRequiredKeyedService<LdapConnectionPool>("directory");

        Assert.Equal(expected, bound);
    }

    [Fact]
    public async Task Unknown_keys_and_unreadable_values_are_reported_together_with_their_paths_when_the_host_starts()
    {
        _apps.Settings["Poolhouse:main:MaxSize"] = "many";
        _apps.Settings["Poolhouse:main:MaxSzie"] = "7";
        _apps.Settings["Poolhouse:main:RentTimeout"] = "30";
        _apps.Settings["Poolhouse:main:IdleOrder"] = "1";
        _apps.Settings["Poolhouse:main:Overload:Traget"] = "00:00:01";
        using var host = Build(out _);

        var failure =
            await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(TestContext.Current.CancellationToken));

        Assert.Equal(5, failure.Failures.Count());
        Assert.Contains("Poolhouse:main:MaxSize is \"many\"; allowed: an integer.", failure.Failures);
        Assert.Contains(
            failure.Failures,
            text => text.StartsWith("Poolhouse:main:MaxSzie is not a setting; allowed: MaxSize, ", StringComparison.Ordinal));
        Assert.Contains("Poolhouse:main:RentTimeout is \"30\"; allowed: hh:mm:ss, d.hh:mm:ss, or none.", failure.Failures);
        Assert.Contains("Poolhouse:main:IdleOrder is \"1\"; allowed: Lifo or Fifo.", failure.Failures);
        Assert.Contains("Poolhouse:main:Overload:Traget is not a setting; allowed: Target, Interval.", failure.Failures);
    }

    [Fact]
    public async Task Invalid_settings_stop_the_start_and_name_the_pool()
    {
        _apps.Settings["Poolhouse:main:MaxSize"] = "-1";
        using var host = Build(out _);

        var failure =
            await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(TestContext.Current.CancellationToken));

        Assert.StartsWith(
            "Pool 'main' (AddResourcePool<Link>): Invalid pool options. MaxSize is -1; allowed: 1 to 1,000,000.", failure.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_parameter_of_a_policy_that_is_null_is_not_taken_for_a_setting()
    {
        using var host = _apps.Build(services => services.AddResourcePool<Link>(
            static _ =>
            {
                ResourcePoolOptions? options = null;
                ArgumentNullException.ThrowIfNull(options);
                return new ScriptedPolicy<Link>(() => new Link());
            },
            "main",
            options => options.MaxSize = 1));

        await Assert.ThrowsAsync<ArgumentNullException>(() => host.StartAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task The_errors_of_all_pools_are_reported_together()
    {
        using var host = _apps.Build(services =>
        {
            services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "one");
            services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "two");
        });

        var failure = await Assert.ThrowsAsync<AggregateException>(() => host.StartAsync(TestContext.Current.CancellationToken));

        Assert.Equal(["one", "two"], failure.InnerExceptions.Cast<OptionsValidationException>().Select(each => each.OptionsName));
    }

    [Fact]
    public async Task An_inner_section_is_cleared_by_none_and_refuses_other_values()
    {
        _apps.Settings["Poolhouse:main:MaxSize"] = "1";
        _apps.Settings["Poolhouse:main:Overload"] = "none";
        using var host = Build(out var bound);
        await host.StartAsync(TestContext.Current.CancellationToken);
        Assert.Null(bound().Overload);

        _apps.Settings["Poolhouse:main:Overload"] = "on";
        using var other = Build(out _);
        var failure =
            await Assert.ThrowsAsync<OptionsValidationException>(() => other.StartAsync(TestContext.Current.CancellationToken));
        Assert.Equal("Poolhouse:main:Overload is a value; allowed: a section, or none.", Assert.Single(failure.Failures));
    }

    [Theory]
    [InlineData("null")]
    [InlineData("\"\"")]
    [InlineData("{}")]
    public async Task An_inner_section_without_keys_is_refused_because_it_could_mean_either(string json)
    {
        using var stream = new MemoryStream(
            System.Text.Encoding.UTF8.GetBytes($$"""{ "main": { "MaxSize": 1, "Overload": {{json}} } }"""));
        var section = new ConfigurationBuilder().AddJsonStream(stream).Build().GetSection("main");
        using var host = _apps.Build(services =>
            services.AddResourcePool<Link>((_, token) => Link.OpenAsync(token), "main").Bind(section));

        var failure =
            await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(TestContext.Current.CancellationToken));

        Assert.Equal("main:Overload is empty; allowed: a section, or none.", Assert.Single(failure.Failures));
    }

    [Theory]
    [InlineData("Servers", "ldap-dev", "Servers:0", "ldap1", "both a text and an array")]
    [InlineData("Pool:Overload", "none", "Pool:Overload:Target", "00:00:01", "both none and a section")]
    public async Task Two_forms_of_one_setting_are_refused_because_either_could_be_of_the_later_source(
        string key, string value, string otherKey, string otherValue, string forms)
    {
        _apps.Settings["Poolhouse:directory:" + key] = value;
        _apps.Settings["Poolhouse:directory:" + otherKey] = otherValue;
        using var host = _apps.Build(services => services
            .AddLdapPool("directory", options => (options.UserName, options.Pool.MaxSize) = ("cn=app", 1))
            .BindConfiguration());

        var failure =
            await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(TestContext.Current.CancellationToken));

        Assert.Equal($"Poolhouse:directory:{key} is {forms}; allowed: one of them.", Assert.Single(failure.Failures));
    }

    [Fact]
    public async Task A_value_in_place_of_the_section_of_a_pool_is_refused_and_not_repeated()
    {
        _apps.Settings["Poolhouse:main"] = "Password=secret";
        using var host = Build(out _);

        var failure =
            await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(TestContext.Current.CancellationToken));

        Assert.Equal("Poolhouse:main is a value; allowed: a section.", Assert.Single(failure.Failures));
    }

    private IHost Build(out Func<ResourcePoolOptions> bound)
    {
        ResourcePoolOptions? last = null;
        bound = () => last!;
        return _apps.Build(services => services
            .AddResourcePool<Link>(
                (_, token) => Link.OpenAsync(token), "main", options => options.Overload = new OverloadOptions())
            .BindConfiguration()
            .Configure(options => last = options));
    }
}

using System.Reflection;
using Poolhouse.Data;
using Poolhouse.Http;
using Poolhouse.Ldap;
using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Repository.Tests.PublicApi;

/// <summary>The rules by which names and signatures are the same in every pool.</summary>
public sealed class Coherence
{
    private const string NotALease = "its connections are not leases; opening one rents";
    private const string Permits = "a permit has no state that could be stale or broken";
    private const string Handler = "requests rent by themselves";
    private const string NotRented = "work is posted to it, nothing is rented";

    private static readonly string[] _verbs =
    [
        "Rent", "RentAsync", "TryRent", "WarmUpAsync", "Trim", "Clear", "Invalidate", "Resize", "Reconfigure", "Suspend",
        "Resume", "DrainAsync",
        "GetStatistics",
    ];

    private static readonly Type[] _pools =
    [
        typeof(ResourcePool<>), typeof(KeyedResourcePool<,>), typeof(SharedResourcePool<>), typeof(NestedResourcePool<,>),
        typeof(KeyedNestedResourcePool<,,>), typeof(WorkerPool<>), typeof(PooledDataSource), typeof(DbConnectionPool<>),
        typeof(LdapConnectionPool), typeof(Bulkhead),
    ];

    // The verbs that make no sense for a pool, and why.
    private static readonly Dictionary<string, string> _without = new(StringComparer.Ordinal)
    {
        ["WorkerPool.Rent"] = NotRented,
        ["WorkerPool.RentAsync"] = NotRented,
        ["WorkerPool.TryRent"] = NotRented,
        ["WorkerPool.Invalidate"] = NotRented,
        ["WorkerPool.Suspend"] = "items that must wait are not posted; a full stop is DrainAsync",
        ["WorkerPool.Resume"] = "as for Suspend",
        ["PooledDataSource.Rent"] = NotALease,
        ["PooledDataSource.RentAsync"] = NotALease,
        ["PooledDataSource.TryRent"] = NotALease,
        ["PooledDataSource.Invalidate"] = "its wrappers see every failure by themselves",
        ["Bulkhead.Rent"] = Handler,
        ["Bulkhead.RentAsync"] = Handler,
        ["Bulkhead.TryRent"] = Handler,
        ["Bulkhead.WarmUpAsync"] = Permits,
        ["Bulkhead.Clear"] = Permits,
        ["Bulkhead.Invalidate"] = Permits,
    };

    private static readonly Assembly[] _packages =
        [typeof(IPool).Assembly, typeof(PooledDataSource).Assembly, typeof(Bulkhead).Assembly,
            typeof(LdapConnectionPool).Assembly, typeof(ManualTimeProvider).Assembly, typeof(WorkerPool).Assembly];

    private static IEnumerable<Type> Types => _packages.SelectMany(package => package.GetExportedTypes());

    [Fact]
    public void Every_pool_has_every_verb_that_makes_sense_for_it()
    {
        var missing =
            from pool in _pools
            from verb in _verbs
            where MethodsOf(pool, verb).Count == 0
            select $"{NameOf(pool)}.{verb}";

        Assert.Equal(_without.Keys.Order(StringComparer.Ordinal), missing.Order(StringComparer.Ordinal));
    }

    // The limits of a cache determine the sizes of the stores of every thread, and the shards of a handler are numbered once.
    [Fact]
    public void Pools_that_limit_what_is_alive_can_be_reconfigured_and_caches_cannot() => Assert.Equal(
        _pools.Select(NameOf).Order(StringComparer.Ordinal),
        Types.Where(type => MethodsOf(type, "Reconfigure").Count > 0).Select(NameOf).Order(StringComparer.Ordinal));

    [Fact]
    public void A_verb_has_the_same_shape_in_every_pool()
    {
        var strange =
            from pool in _pools.Append(typeof(ShardedHandler)).Append(typeof(PooledProviderFactory))
            from verb in _verbs
            from method in MethodsOf(pool, verb)
            where !ShapesOf(verb).Contains(ShapeOf(method), StringComparer.Ordinal) && !IsOfOneEndpoint(method)
                && !IsOfHttp(method)
            select $"{NameOf(pool)}.{verb}({ShapeOf(method)})";

        Assert.Empty(strange);
    }

    [Fact]
    public void A_cancellation_token_is_the_last_parameter()
    {
        var wrong =
            from method in OwnMethods()
            let parameters = method.GetParameters()
            where Array.Exists(parameters, IsToken) && !IsToken(parameters[^1])
            select Show(method);

        Assert.Empty(wrong);
    }

    [Fact]
    public void Options_come_last_and_only_a_cancellation_token_after_them()
    {
        var wrong =
            from method in OwnMethods()
            let parameters = method.GetParameters().Where(parameter => !IsToken(parameter)).ToArray()
            let first = Array.FindIndex(parameters, IsOptions)
            where first >= 0 && !parameters.AsSpan(first).ToArray().All(IsOptions) && !IsMessageHandler(parameters[^1])
            select Show(method);

        Assert.Equal(ShrinkingOptionOrder, wrong.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void A_constructor_takes_what_the_pool_is_built_on_and_Create_takes_delegates()
    {
        var withDelegates =
            from type in Types
            where typeof(IPool).IsAssignableFrom(type)
            from constructor in type.GetConstructors()
            where constructor.GetParameters()
                .Any(parameter => typeof(Delegate).IsAssignableFrom(parameter.ParameterType) && !MakesPolicies(parameter))
            select Show(constructor);

        Assert.Equal(
            ["TieredObjectPool..ctor(create, reset, options)"], withDelegates); // As DefaultObjectPool: a cache is made by new.
    }

    [Fact]
    public void Every_policy_of_a_pool_is_created_from_delegates()
    {
        var policies =
            (from pool in _pools
             from constructor in pool.GetConstructors()
             from parameter in constructor.GetParameters()
             where IsPolicy(parameter)
             select MakesPolicies(parameter) ? parameter.ParameterType.GetGenericArguments()[^1] : parameter.ParameterType)
            .Select(policy => policy.GetGenericTypeDefinition()).Distinct().ToList();

        Assert.Equal(
            ["NestedPolicy", "ResourcePolicy", "WorkerPolicy"], policies.Select(NameOf).Order(StringComparer.Ordinal));
        Assert.All(policies, policy => Assert.True(AreDelegates(Assert.Single(ShortFormsOf(policy))), NameOf(policy)));
    }

    // The constructors of the other kinds take what ResourcePolicy.Create and NestedPolicy.Create return.
    [Fact]
    public void Only_the_plain_pools_have_short_forms_of_a_delegate_and_options()
    {
        var forms =
            (from pool in _pools
             where pool.GetConstructors().Any(constructor => Array.Exists(constructor.GetParameters(), IsPolicy))
             from parameters in ShortFormsOf(pool)
             select (Name: NameOf(pool), Parameters: parameters)).ToList();

        Assert.Equal(["ResourcePool", "WorkerPool"], forms.Select(form => form.Name));
        Assert.All(
            forms, form => Assert.True(
                IsOptions(form.Parameters[^1]) && AreDelegates(form.Parameters[..^1])
                && !Array.Exists(form.Parameters, parameter => parameter.IsOptional),
                form.Name));
    }

    [Fact]
    public void The_settings_of_a_pool_inside_others_are_called_Pool_or_end_in_it()
    {
        var nested =
            (from type in Types
             where type.Name.Contains("Options", StringComparison.Ordinal)
             from property in type.GetProperties(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)
             where property.PropertyType.Name.Split('`')[0].EndsWith("PoolOptions", StringComparison.Ordinal)
             select (Owner: NameOf(type), property.Name)).ToList();

        Assert.Equal(8, nested.Count);
        Assert.All(nested, each => Assert.EndsWith("Pool", each.Name, StringComparison.Ordinal));
        Assert.All(
            nested.GroupBy(each => each.Owner, StringComparer.Ordinal).Where(group => group.Count() == 1),
            group => Assert.Contains(group.Single().Name, (string[])["Pool", "ChildPool", "ParentPool"]));
    }

    [Fact]
    public void Limits_and_waits_have_one_name()
    {
        string[] others = ["Limit", "Maximum", "WaitTimeout", "AcquireTimeout", "Largest", "Shortest"];
        var wrong =
            from type in Types
            where type.Name.Contains("Options", StringComparison.Ordinal)
            from member in type.GetMembers(
                BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly)
            where others.Any(word => member.Name.EndsWith(word, StringComparison.Ordinal)
                || member.Name.StartsWith(word, StringComparison.Ordinal))
            select $"{NameOf(type)}.{member.Name}";

        Assert.Empty(wrong);
    }

    [Fact]
    public void Statistics_are_sealed_classes_and_no_records()
    {
        var records = Types.Where(
            type => type.Name.Split('`')[0].EndsWith("Statistics", StringComparison.Ordinal) && IsRecord(type)).Select(NameOf);

        Assert.Equal(ShrinkingRecords, records.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void The_payload_of_an_event_ends_in_Args()
    {
        var wrong =
            from type in Types
            where type.Name.EndsWith("Observer", StringComparison.Ordinal)
            from method in type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)
            where method.Name.StartsWith("On", StringComparison.Ordinal)
            from parameter in method.GetParameters()
            let payload = parameter.ParameterType.GetElementType() ?? parameter.ParameterType
            where !payload.Name.EndsWith("Args", StringComparison.Ordinal)
            select payload.Name;

        Assert.Equal(ShrinkingPayloads, wrong.Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void The_payload_of_an_event_is_named_after_it_and_the_time_of_a_lease_is_called_LeasedFor()
    {
        var events =
            (from type in Types
             where type.Name.EndsWith("Observer", StringComparison.Ordinal)
             from method in type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)
             where method.Name.StartsWith("On", StringComparison.Ordinal)
             select (method.Name, Payload: method.GetParameters()[0].ParameterType.GetElementType()!)).ToList();

        Assert.NotEmpty(events);
        Assert.All(events, each => Assert.EndsWith(each.Name[2..] + "Args", each.Payload.Name, StringComparison.Ordinal));
        Assert.All(
            events, each => Assert.DoesNotContain(
                each.Payload.GetProperties(), property => property.Name is "Age" or "Lifetime" or "HeldFor"));
    }

    [Fact]
    public void The_values_of_an_enum_have_no_holes()
    {
        var wrong =
            from type in Types
            where type.IsEnum && !type.IsDefined(typeof(FlagsAttribute))
            let values = Enum.GetValues(type).Cast<object>()
                .Select(value => Convert.ToInt32(value, System.Globalization.CultureInfo.InvariantCulture)).Order()
            where !values.SequenceEqual(Enumerable.Range(0, values.Count()))
            select NameOf(type);

        Assert.Equal(ShrinkingEnums, wrong.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Every_exemption_has_a_reason() => Assert.All(_without.Values, reason => Assert.NotEmpty(reason));

    // What does not follow a rule yet. An entry that does must be removed.
    private static string[] ShrinkingOptionOrder => [];

    private static string[] ShrinkingRecords => [];

    private static string[] ShrinkingPayloads => [];

    private static string[] ShrinkingEnums => [];

    private static string[] ShapesOf(string verb) => verb switch
    {
        "Rent" or "RentAsync" => ["CancellationToken?", "TimeSpan, CancellationToken?", "key, CancellationToken?",
            "key, TimeSpan, CancellationToken?"],
        "TryRent" => ["out lease", "key, out lease"],
        "WarmUpAsync" => ["Int32 count, CancellationToken?", "key, Int32 count, CancellationToken?"],
        "Clear" => ["TimeSpan? spread", "key, TimeSpan? spread", "Func`2, TimeSpan? spread"],
        "Invalidate" => ["lease, TimeSpan? spread", "Func`2"],
        "Resize" => ["Int32 maxSize", "Int32"],
        "Reconfigure" => ["options"],
        "DrainAsync" => ["CancellationToken?"],
        "GetStatistics" => ["", "key"],
        _ => [""],
    };

    private static string ShapeOf(MethodInfo method) => string.Join(", ", method.GetParameters().Select(ShapeOf));

    private static string ShapeOf(ParameterInfo parameter)
    {
        var type = parameter.ParameterType;
        var optional = parameter.IsOptional ? "?" : "";
        return type.IsGenericParameter && parameter.Name is "key" ? "key"
            : type.IsByRef ? "out lease"
            : IsOptions(parameter) ? "options"
            : type.Name.StartsWith("Lease`", StringComparison.Ordinal) ? "lease"
            : parameter.Name is "spread" or "count" or "maxSize" ? $"{type.Name}{optional} {parameter.Name}"
            : type.Name + optional;
    }

    private static IEnumerable<ParameterInfo[]> ShortFormsOf(Type type) =>
        from method in type.Assembly.GetType(type.FullName!.Split('`')[0])?.GetMethods(BindingFlags.Public | BindingFlags.Static)
            ?? []
        where method is { Name: "Create", IsGenericMethod: true }
            && string.Equals(method.ReturnType.Name, type.Name, StringComparison.Ordinal)
        select method.GetParameters();

    private static bool AreDelegates(ParameterInfo[] parameters) =>
        Array.TrueForAll(parameters, parameter => typeof(Delegate).IsAssignableFrom(parameter.ParameterType));

    private static bool IsPolicy(ParameterInfo parameter) =>
        parameter.ParameterType.Name.Split('`')[0].EndsWith("Policy", StringComparison.Ordinal) || MakesPolicies(parameter);

    // A policy for each key.
    private static bool MakesPolicies(ParameterInfo parameter) =>
        parameter.ParameterType is { IsGenericType: true } type && typeof(Delegate).IsAssignableFrom(type)
        && type.GetGenericArguments()[^1].Name.Split('`')[0].EndsWith("Policy", StringComparison.Ordinal);

    private static bool IsOptions(ParameterInfo parameter) =>
        parameter.ParameterType.Name.Split('`')[0].EndsWith("Options", StringComparison.Ordinal);

    // A client factory sets it after construction: the constructors of delegating handlers have it last.
    private static bool IsMessageHandler(ParameterInfo parameter) => parameter.ParameterType == typeof(HttpMessageHandler);

    private static bool IsOfOneEndpoint(MethodInfo method) =>
        string.Equals(method.Name, "GetStatistics", StringComparison.Ordinal) && method.DeclaringType == typeof(Bulkhead);

    private static bool IsOfHttp(MethodInfo method) =>
        string.Equals(method.Name, "WarmUpAsync", StringComparison.Ordinal) && method.DeclaringType == typeof(ShardedHandler);

    private static List<MethodInfo> MethodsOf(Type pool, string verb) =>
        [.. pool.GetMethods(BindingFlags.Public | BindingFlags.Instance)
            .Where(method => string.Equals(method.Name, verb, StringComparison.Ordinal))];

    private static IEnumerable<MethodBase> OwnMethods() =>
        Types.Where(type => !typeof(Delegate).IsAssignableFrom(type))
            .SelectMany(type =>
                type.GetMembers(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly))
            .OfType<MethodBase>()
            .Where(method => method is not MethodInfo { IsVirtual: true } own || own.GetBaseDefinition() == own);

    private static bool IsToken(ParameterInfo parameter) => parameter.ParameterType == typeof(CancellationToken);

    private static bool IsRecord(Type type) =>
        type.GetMethod("PrintMembers", BindingFlags.NonPublic | BindingFlags.Instance) is not null;

    private static string Show(MethodBase method) =>
        $"{NameOf(method.DeclaringType!)}.{method.Name}({string.Join(", ", method.GetParameters().Select(parameter => parameter.Name))})";

    private static string NameOf(Type type) => type.Name.Split('`')[0];
}

using Poolhouse.Workers;

namespace Poolhouse.Extensions.Configuration;

/// <summary>The settings of the core's pools. A test compares their keys with the settable properties of the options.</summary>
internal static class CoreSettings
{
    public static SettingsMap<OverloadOptions> Overload { get; } = new SettingsMap<OverloadOptions>()
        .Duration(nameof(OverloadOptions.Target), o => o.Target, (o, value) => o.Target = value)
        .Duration(nameof(OverloadOptions.Interval), o => o.Interval, (o, value) => o.Interval = value);

    public static SettingsMap<ResourcePoolOptions> Resource { get; } = new SettingsMap<ResourcePoolOptions>()
        .WholeNumber(nameof(ResourcePoolOptions.MaxSize), o => o.MaxSize, (o, value) => o.MaxSize = value)
        .WholeNumber(nameof(ResourcePoolOptions.MinIdle), o => o.MinIdle, (o, value) => o.MinIdle = value)
        .Flag(
            nameof(ResourcePoolOptions.MinIdleCountsAll), o => o.MinIdleCountsAll, (o, value) => o.MinIdleCountsAll = value)
        .Limit(nameof(ResourcePoolOptions.MaxWaiters), o => o.MaxWaiters, (o, value) => o.MaxWaiters = value)
        .Choice(nameof(ResourcePoolOptions.IdleOrder), o => o.IdleOrder, (o, value) => o.IdleOrder = value)
        .Duration(nameof(ResourcePoolOptions.RentTimeout), o => o.RentTimeout, (o, value) => o.RentTimeout = value)
        .Duration(nameof(ResourcePoolOptions.OutageTimeout), o => o.OutageTimeout, (o, value) => o.OutageTimeout = value)
        .Duration(nameof(ResourcePoolOptions.CreateTimeout), o => o.CreateTimeout, (o, value) => o.CreateTimeout = value)
        .Duration(nameof(ResourcePoolOptions.ValidateTimeout), o => o.ValidateTimeout, (o, value) => o.ValidateTimeout = value)
        .Duration(nameof(ResourcePoolOptions.ResetTimeout), o => o.ResetTimeout, (o, value) => o.ResetTimeout = value)
        .Duration(nameof(ResourcePoolOptions.DestroyTimeout), o => o.DestroyTimeout, (o, value) => o.DestroyTimeout = value)
        .WholeNumber(
            nameof(ResourcePoolOptions.MaxConcurrentCreates), o => o.MaxConcurrentCreates,
            (o, value) => o.MaxConcurrentCreates = value)
        .Flag(nameof(ResourcePoolOptions.SlowStart), o => o.SlowStart, (o, value) => o.SlowStart = value)
        .Duration(nameof(ResourcePoolOptions.RetryDelay), o => o.RetryDelay, (o, value) => o.RetryDelay = value)
        .Duration(nameof(ResourcePoolOptions.MaxRetryDelay), o => o.MaxRetryDelay, (o, value) => o.MaxRetryDelay = value)
        .Duration(
            nameof(ResourcePoolOptions.ValidateAfterIdle), o => o.ValidateAfterIdle, (o, value) => o.ValidateAfterIdle = value)
        .Duration(nameof(ResourcePoolOptions.IdleTimeout), o => o.IdleTimeout, (o, value) => o.IdleTimeout = value)
        .Duration(nameof(ResourcePoolOptions.MaxLifetime), o => o.MaxLifetime, (o, value) => o.MaxLifetime = value)
        .Limit(nameof(ResourcePoolOptions.MaxUses), o => o.MaxUses, (o, value) => o.MaxUses = value)
        .Number(nameof(ResourcePoolOptions.LifetimeJitter), o => o.LifetimeJitter, (o, value) => o.LifetimeJitter = value)
        .Duration(
            nameof(ResourcePoolOptions.KeepAliveInterval), o => o.KeepAliveInterval, (o, value) => o.KeepAliveInterval = value)
        .Duration(nameof(ResourcePoolOptions.LeakThreshold), o => o.LeakThreshold, (o, value) => o.LeakThreshold = value)
        .Flag(nameof(ResourcePoolOptions.LabelLeases), o => o.LabelLeases, (o, value) => o.LabelLeases = value)
        .Flag(nameof(ResourcePoolOptions.TrackLeases), o => o.TrackLeases, (o, value) => o.TrackLeases = value)
        .Flag(nameof(ResourcePoolOptions.AwaitReset), o => o.AwaitReset, (o, value) => o.AwaitReset = value)
        .Overload(nameof(ResourcePoolOptions.Overload), o => o.Overload, (o, value) => o.Overload = value);

    public static SettingsMap<SharedResourcePoolOptions> Shared { get; } = new SettingsMap<SharedResourcePoolOptions>()
        .ResourcePool(nameof(SharedResourcePoolOptions.Pool), o => o.Pool, (o, value) => o.Pool = value)
        .WholeNumber(
            nameof(SharedResourcePoolOptions.MaxUsesPerItem), o => o.MaxUsesPerItem, (o, value) => o.MaxUsesPerItem = value)
        .OptionalWholeNumber(nameof(SharedResourcePoolOptions.MaxActive), o => o.MaxActive, (o, value) => o.MaxActive = value)
        .Number(nameof(SharedResourcePoolOptions.GrowAtLoad), o => o.GrowAtLoad, (o, value) => o.GrowAtLoad = value)
        .Choice(nameof(SharedResourcePoolOptions.Selection), o => o.Selection, (o, value) => o.Selection = value);

    public static SettingsMap<NestedResourcePoolOptions> Nested { get; } = new SettingsMap<NestedResourcePoolOptions>()
        .ResourcePool(nameof(NestedResourcePoolOptions.ParentPool), o => o.ParentPool, (o, value) => o.ParentPool = value)
        .ResourcePool(nameof(NestedResourcePoolOptions.ChildPool), o => o.ChildPool, (o, value) => o.ChildPool = value)
        .WholeNumber(
            nameof(NestedParentOptions.MaxChildrenPerParent), o => o.MaxChildrenPerParent,
            (o, value) => o.MaxChildrenPerParent = value)
        .OptionalWholeNumber(
            nameof(NestedParentOptions.MaxActiveParents), o => o.MaxActiveParents, (o, value) => o.MaxActiveParents = value)
        .Number(nameof(NestedParentOptions.GrowAtLoad), o => o.GrowAtLoad, (o, value) => o.GrowAtLoad = value)
        .Choice(nameof(NestedParentOptions.Selection), o => o.Selection, (o, value) => o.Selection = value);

    public static SettingsMap<WorkerPoolOptions> Worker { get; } = new SettingsMap<WorkerPoolOptions>()
        .WholeNumber(nameof(WorkerPoolOptions.MaxWorkers), o => o.MaxWorkers, (o, value) => o.MaxWorkers = value)
        .WholeNumber(nameof(WorkerPoolOptions.MinWorkers), o => o.MinWorkers, (o, value) => o.MinWorkers = value)
        .Duration(nameof(WorkerPoolOptions.IdleTimeout), o => o.IdleTimeout, (o, value) => o.IdleTimeout = value)
        .Limit(nameof(WorkerPoolOptions.QueueCapacity), o => o.QueueCapacity, (o, value) => o.QueueCapacity = value)
        .Choice(nameof(WorkerPoolOptions.QueueFull), o => o.QueueFull, (o, value) => o.QueueFull = value)
        .Duration(nameof(WorkerPoolOptions.QueueTimeout), o => o.QueueTimeout, (o, value) => o.QueueTimeout = value)
        .Duration(nameof(WorkerPoolOptions.RunTimeout), o => o.RunTimeout, (o, value) => o.RunTimeout = value)
        .OptionalWholeNumber(
            nameof(WorkerPoolOptions.MaxAbandonedWorkers), o => o.MaxAbandonedWorkers,
            (o, value) => o.MaxAbandonedWorkers = value)
        .Duration(nameof(WorkerPoolOptions.StuckThreshold), o => o.StuckThreshold, (o, value) => o.StuckThreshold = value)
        .Limit(nameof(WorkerPoolOptions.MaxItemsPerState), o => o.MaxItemsPerState, (o, value) => o.MaxItemsPerState = value)
        .Duration(nameof(WorkerPoolOptions.MaxStateLifetime), o => o.MaxStateLifetime, (o, value) => o.MaxStateLifetime = value)
        .Number(nameof(WorkerPoolOptions.LifetimeJitter), o => o.LifetimeJitter, (o, value) => o.LifetimeJitter = value)
        .Flag(
            nameof(WorkerPoolOptions.FlowExecutionContext), o => o.FlowExecutionContext,
            (o, value) => o.FlowExecutionContext = value)
        .Text(nameof(WorkerPoolOptions.ThreadName), o => o.ThreadName, (o, value) => o.ThreadName = value)
        .Choice(nameof(WorkerPoolOptions.Priority), o => o.Priority, (o, value) => o.Priority = value)
        .WholeNumber(nameof(WorkerPoolOptions.MaxStackSize), o => o.MaxStackSize, (o, value) => o.MaxStackSize = value)
        .Flag(nameof(WorkerPoolOptions.IsBackground), o => o.IsBackground, (o, value) => o.IsBackground = value)
        .Choice(nameof(WorkerPoolOptions.ApartmentState), o => o.ApartmentState, (o, value) => o.ApartmentState = value)
        .Duration(nameof(WorkerPoolOptions.StopTimeout), o => o.StopTimeout, (o, value) => o.StopTimeout = value);

    public static SettingsMap<ObjectPoolOptions> Objects { get; } = new SettingsMap<ObjectPoolOptions>()
        .WholeNumber(nameof(ObjectPoolOptions.MaxRetained), o => o.MaxRetained, (o, value) => o.MaxRetained = value)
        .Duration(nameof(CacheOptions.IdleTimeout), o => o.IdleTimeout, (o, value) => o.IdleTimeout = value)
        .Choice(nameof(CacheOptions.Paranoid), o => o.Paranoid, (o, value) => o.Paranoid = value)
        .OptionalWholeNumber(
            nameof(CacheOptions.ParanoidSampling), o => o.ParanoidSampling, (o, value) => o.ParanoidSampling = value);

    public static SettingsMap<KeyedResourcePoolOptions<TKey>> Keyed<TKey>()
        where TKey : notnull => new SettingsMap<KeyedResourcePoolOptions<TKey>>()
        .WholeNumber(nameof(KeyedResourcePoolOptions<>.MaxSize), o => o.MaxSize, (o, value) => o.MaxSize = value)
        .Duration(
            nameof(KeyedResourcePoolOptions<>.KeyIdleTimeout), o => o.KeyIdleTimeout, (o, value) => o.KeyIdleTimeout = value)
        .ResourcePool(nameof(KeyedResourcePoolOptions<>.Pool), o => o.Pool, (o, value) => o.Pool = value);

    /// <summary>Options whose required size is not set: validation reports it unless configuration sets it.</summary>
    public static ResourcePoolOptions Unset() => new() { MaxSize = 0 };
}

using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Extensions.Registration;

/// <summary>One registered pool of a certain kind.</summary>
internal sealed class TypedPoolRegistration<TPool, [DynamicallyAccessedMembers(
    DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
    string name,
    bool isNamed,
    string method,
    PoolKind<TPool, TOptions> kind) : PoolRegistration(name, isNamed, method)
    where TPool : class, IPool
    where TOptions : class
{
    public PoolKind<TPool, TOptions> Kind => kind;

    public override Type? ObserverType => kind.ObserverType;

    public override bool CanWarmUp => kind.CanWarmUp;

    public override bool CanDrain => kind.CanDrain;

    public override PoolHandle CreateHandle(IServiceProvider services) => new TypedPoolHandle<TPool, TOptions>(services, this);
}

using System.Collections;

namespace Poolhouse.Extensions.Registration;

/// <summary>All registered pools of a container.</summary>
internal sealed class PoolRegistry(IServiceProvider services, IEnumerable<PoolRegistration> registrations) : IPools
{
    private readonly PoolRegistration[] _registrations = [.. registrations];

    public IEnumerable<PoolRegistration> Registrations => _registrations;

    public int Count => _registrations.Length;

    public PoolHandle Resolve(PoolRegistration registration) => registration.Resolve(services);

    public IEnumerator<PoolInfo> GetEnumerator() =>
        _registrations.Select(registration => new PoolInfo(Resolve(registration))).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}

namespace Poolhouse.Kernel.Misuse;

/// <summary>A scope of a test, in which everything that is rented must be returned.</summary>
internal interface ILeaseScope
{
    /// <summary>Is notified of a pool that is disposed in the flow of the scope. Its leases are still to be returned.</summary>
    void OnDisposed(IPool pool);
}

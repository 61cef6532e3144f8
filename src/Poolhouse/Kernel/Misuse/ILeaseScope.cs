namespace Poolhouse.Kernel.Misuse;

/// <summary>A scope of a test, in which everything that is rented must be returned.</summary>
internal interface ILeaseScope
{
    /// <summary>Is notified of a pool that is disposed before all leases of the scope are back.</summary>
    void OnDisposed(IPool pool);
}

namespace Poolhouse;

/// <summary>What a caller was waiting for when its timeout elapsed.</summary>
public enum RentPhase
{
    /// <summary>For another caller to return an item: all of them were leased.</summary>
    Return,

    /// <summary>For an item that was being created.</summary>
    Create,

    /// <summary>For an item that was being validated.</summary>
    Validate,

    /// <summary>For an item that was being reset after its return.</summary>
    Reset,

    /// <summary>For an item that was being destroyed, so that its slot would be released.</summary>
    Destroy,

    /// <summary>For room for another item at the server, or for another caller to return an item.</summary>
    Room,

    /// <summary>For <see cref="ResourcePool{T}.Resume"/>.</summary>
    Suspended,
}
